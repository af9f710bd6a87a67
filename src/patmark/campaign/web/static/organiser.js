// Renews the numbers of the page of progress while it is looked at.

const EVERY = 15_000;
const all = document.querySelector("#all");
const said = document.querySelector("#all-said");

async function renew() {
  if (document.hidden) return;
  let people;
  try {
    const answer = await fetch(`${document.documentElement.dataset.root}/api/organiser/progress`, { headers: { Accept: "application/json" } });
    if (!answer.ok) return;
    people = await answer.json();
  } catch {
    return; // the next turn tries again
  }
  let done = 0;
  let total = 0;
  for (const row of document.querySelectorAll("#people tr[data-name]")) {
    const one = people[row.dataset.name];
    if (!one) continue;
    done += one.done;
    total += one.total;
    row.querySelector("progress").value = one.done;
    row.querySelector("[data-field=done]").textContent = `${one.done}/${one.total}`;
    row.querySelector("[data-field=training]").textContent = `${one.training_done}/${one.training_total}`;
    row.querySelector("[data-field=seen]").textContent = one.seen;
  }
  all.max = total || 1;
  all.value = done;
  said.textContent = said.dataset.said.replace("{done}", done).replace("{total}", total);
}

setInterval(renew, EVERY);
document.addEventListener("visibilitychange", renew);
