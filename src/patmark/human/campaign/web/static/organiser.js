// Renews the numbers of the page of progress while it is looked at.

const EVERY = 15_000;
const all = document.querySelector("#all");

async function renew() {
  if (document.hidden) return;
  let found;
  try {
    const answer = await fetch(`${document.documentElement.dataset.root}/api/organiser/progress`, { headers: { Accept: "application/json" } });
    if (!answer.ok) return;
    found = await answer.json();
  } catch {
    return; // the next turn tries again
  }
  for (const row of document.querySelectorAll("#people tr[data-name]")) {
    const one = found.people[row.dataset.name];
    if (!one) continue;
    const bar = row.querySelector("progress");
    bar.max = one.total || 1;
    bar.value = one.done;
    row.querySelector("[data-field=done]").textContent = `${one.done}/${one.total}`;
    row.querySelector("[data-field=training]").textContent = `${one.training_done}/${one.training_total}`;
    row.querySelector("[data-field=seen]").textContent = one.seen;
  }
  all.max = found.all.total || 1;
  all.value = found.all.done;
  for (const line of document.querySelectorAll("#all-said, #pool-said")) {
    line.textContent = line.dataset.said.replace(/\{(\w+)\}/g, (_, name) => found.all[name]);
  }
}

setInterval(renew, EVERY);
document.addEventListener("visibilitychange", renew);
