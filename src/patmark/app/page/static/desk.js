// Sends files, asks for a task, and shows how far it is. All scoring happens in the commands.

import { tr } from "./words.js";

const find = (selector) => document.querySelector(selector);
const base = location.pathname;
const largest = Number(document.body.dataset.largest);
const order = find("#order");
const READ = {
  score: ["hypothesis", "reference", "source", "documents", "testset"],
  compare: ["hypothesis", "reference", "source", "documents", "testset"],
  check: ["source", "hypothesis"],
  patsnap: ["rows"],
  lint: ["claims", "description"],
};
let files = [];
let chosen = false; // a person chose the task: it is not guessed again

async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(base + path, options);
  } catch {
    throw new Error(tr("patmark has stopped. Start it again with: patmark open"));
  }
  const text = await answer.text();
  let body = null;
  try { body = JSON.parse(text); } catch { /* a plain sentence */ }
  if (!answer.ok) throw new Error(body?.detail ?? text.trim());
  return body;
}

const send = (path, body) => ask(path, {
  method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
});

function complain(error) {
  const trouble = find("#trouble");
  trouble.textContent = error?.message ?? "";
  trouble.hidden = !error;
}

const loaded = ask("files").then((found) => { files = found; show(); }, complain);

// -- files ---------------------------------------------------------------------------------------

function inMegabytes(size) {
  return size < 1e5 ? `${Math.ceil(size / 1e3)} kB` : `${(size / 1e6).toFixed(1)} MB`;
}

async function add(list) {
  await loaded;
  complain(null);
  const problems = [];
  for (const file of list) {
    if (file.size > largest) {
      problems.push(tr("{name} has {size}: a file may have {most} here; the command line has no limit",
        { name: file.name, size: inMegabytes(file.size), most: inMegabytes(largest) }));
      continue;
    }
    try {
      await ask(`files?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file });
    } catch (error) {
      problems.push(error.message);
    }
  }
  if (problems.length) complain(new Error(problems.join("\n")));
  files = await ask("files");  // a file can tell what an earlier one is
  show();
}

function row(file) {
  const item = find("#file").content.cloneNode(true).firstElementChild;
  item.querySelector(".name").textContent = file.name;
  item.querySelector(".size").textContent = inMegabytes(file.size);
  item.querySelector("label span").textContent = tr("What is {name}?", { name: file.name });
  const select = item.querySelector("select");
  select.value = file.kind;
  select.addEventListener("change", () => {
    file.kind = select.value;
    guess();
    send(`files/${file.id}/kind`, file.kind).catch(complain);
  });
  const remove = item.querySelector(".remove");
  remove.setAttribute("aria-label", tr("Remove {name}", { name: file.name }));
  remove.addEventListener("click", async () => {
    try { await ask(`files/${file.id}`, { method: "DELETE" }); } catch (error) { return complain(error); }
    files = files.filter((one) => one !== file);
    show();
    find("#pick").focus();
  });
  return item;
}

function show() {
  find("#files").replaceChildren(...files.map(row));
  guess();
}

// -- what to do ----------------------------------------------------------------------------------

const count = (...kinds) => files.filter((file) => kinds.includes(file.kind)).length;

function guess() {
  if (!chosen && files.length) {
    const systems = count("hypothesis");
    const endings = document.body.dataset.documents.split(" ");
    const whole = files.some((file) => endings.some((ending) => file.name.toLowerCase().endsWith(ending)));
    order.task.value = whole ? "check" : count("rows") ? "patsnap" : count("claims") && !count("reference") ? "lint"
      : systems > 1 ? "compare" : "score";
  }
  const read = READ[order.task.value];
  const language = (side) => files.filter((file) => read.includes(file.kind))
    .sort((a, b) => (b.kind === "reference") - (a.kind === "reference"))
    .map((file) => file[side]).find(Boolean) ?? "";
  for (const side of ["source", "target"]) {
    if (!order[side].dataset.chosen) order[side].value = language(side);
  }
  adapt();
}

function adapt() {
  const lint = order.task.value === "lint";
  find("#office-choice").hidden = !lint;
  find("#source-choice").hidden = find("#target-choice").hidden = lint;
}

order.addEventListener("change", ({ target }) => {
  if (target.name === "task") { chosen = true; guess(); } else target.dataset.chosen = "yes";
});

order.addEventListener("submit", async (event) => {
  event.preventDefault();
  complain(null);
  const wanted = { ...Object.fromEntries(new FormData(order)), ui: document.documentElement.lang };
  try {
    if (!files.length) throw new Error(tr("Drop or choose files first."));
    follow(await send("jobs", wanted));
  } catch (error) {
    complain(error);
    find("#trouble").scrollIntoView({ block: "center" });
  }
});

// -- progress and result -------------------------------------------------------------------------

const STATES = {
  waiting: () => tr("Waiting for its turn…"),
  running: (job) => job.step || tr("Reading the files…"),
  done: () => tr("Done."),
  failed: () => tr("This did not work:"),
  stopped: () => tr("Stopped."),
};
let current = null;

async function follow(job) {
  current = job.id;
  find("#job").hidden = false;
  find("#job").scrollIntoView({ block: "start" });
  while (current === job.id) {
    display(job);
    if (!["waiting", "running"].includes(job.state)) break;
    await new Promise((go) => setTimeout(go, 250));
    try { job = await ask(`jobs/${job.id}`); } catch (error) { complain(error); break; }
  }
}

function display(job) {
  const state = STATES[job.state](job);
  if (find("#state").textContent !== state) find("#state").textContent = state;
  const bar = find("#bar");
  const busy = ["waiting", "running"].includes(job.state);
  bar.hidden = find("#stop").hidden = !busy;
  if (job.total) { bar.max = job.total; bar.value = job.done; } else bar.removeAttribute("value");
  const failed = job.state === "failed";
  find("#failure").hidden = !failed;
  find("#failure").textContent = failed ? job.said.join("\n") : "";
  find("#talk").replaceChildren(...(failed ? [] : job.said).map((line) => {
    const said = document.createElement("p");
    said.textContent = line;
    return said;
  }));
  const files = { read: "report.html", save: "report.html", tables: "tables.csv" };
  for (const [id, name] of Object.entries(files)) {
    const link = find(`#${id}`);
    link.hidden = !job.files.includes(name);
    link.href = `${base}jobs/${job.id}/${name}${id === "read" ? "" : "?download=true"}`;
  }
  const answer = find("#answer");
  answer.hidden = !job.answer;
  answer.textContent = job.answer;
  find("#how").hidden = job.state === "waiting";
  find("#command").textContent = job.command;
  if (job.state === "done") find("#read").focus();
}

find("#stop").addEventListener("click", () => send(`jobs/${current}/stop`).catch(complain));

// -- dropping ------------------------------------------------------------------------------------

const drop = find("#drop");
find("#pick").addEventListener("change", ({ target }) => {
  add([...target.files]).then(() => { target.value = ""; });
});
addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("over"); });
addEventListener("dragleave", (event) => { if (!event.relatedTarget) drop.classList.remove("over"); });
addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  add([...event.dataTransfer.files]);
});

