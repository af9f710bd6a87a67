// Texts side by side: filters, keys, verdicts, and the review as a file.

const form = document.querySelector(".review .filters");
const notes = [...document.querySelectorAll(".finding")];
const rows = [...document.querySelectorAll(".review .row")];
const marks = [...document.querySelectorAll(".review mark")];
const status = document.querySelector(".review [role=status]");
let current = null;

made("data", form, (documents) => {
  const findings = documents.flatMap((one) => one.findings);
  const store = `patmark-review-${hash(JSON.stringify(documents))}`;
  restore(findings, store);

  function show() {
    const severities = new Set([...form.querySelectorAll("[name=severity]:checked")].map((box) => box.value));
    const kind = form.elements.kind.value, wanted = form.elements.rows.value;
    for (const note of notes) {
      const open = !note.dataset.verdict || note === current;
      note.hidden = !severities.has(note.dataset.severity) || (kind && note.dataset.kind !== kind) || (wanted === "open" && !open);
    }
    for (const row of rows) row.hidden = wanted !== "all" && !row.querySelector(".finding:not([hidden])");
    const visible = new Set(notes.filter((note) => !note.hidden).map((note) => note.dataset.item));
    for (const mark of marks) mark.classList.toggle("off", !mark.dataset.items.split(" ").some((item) => visible.has(item)));
    const judged = findings.filter((one) => one.verdict).length;
    const accepted = findings.filter((one) => one.verdict === "accepted").length;
    status.textContent = tr("{shown} of {all} findings shown; {judged} judged, {accepted} accepted",
      { shown: visible.size, all: notes.length, judged, accepted });
  }

  function judge(note, verdict) {
    const value = note.dataset.verdict === verdict ? "" : verdict;
    note.dataset.verdict = findings[note.dataset.item].verdict = value;
    press(note);
    try { localStorage.setItem(store, JSON.stringify(findings.map((one) => one.verdict))); } catch { /* not remembered */ }
    show();
  }

  function go(note) {
    if (!note) return;
    for (const one of document.querySelectorAll(".current")) one.classList.remove("current");
    current = note;
    note.classList.add("current");
    for (const mark of marks) if (mark.dataset.items.split(" ").includes(note.dataset.item)) mark.classList.add("current");
    note.scrollIntoView({ block: "center" });
    note.focus({ preventScroll: true });
  }

  function step(by) {
    const visible = notes.filter((note) => !note.hidden);
    const place = visible.indexOf(current);
    go(visible[place < 0 ? (by > 0 ? 0 : visible.length - 1) : Math.min(Math.max(place + by, 0), visible.length - 1)]);
  }

  form.addEventListener("change", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.querySelector("[value=save]").addEventListener("click", () => save(documents));
  for (const note of notes) {
    press(note);
    note.querySelector(".verdict").hidden = false;
    note.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) judge(note, button.value); else go(note);
    });
  }
  for (const mark of marks) {
    mark.addEventListener("click", () => go(notes.find((note) => !note.hidden && mark.dataset.items.split(" ").includes(note.dataset.item))));
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
    const act = { j: () => step(1), k: () => step(-1), a: () => current && judge(current, "accepted"), r: () => current && judge(current, "rejected"), u: () => current && judge(current, current.dataset.verdict) }[event.key.toLowerCase()];
    if (act) { event.preventDefault(); act(); }
  });
  form.hidden = false;
  show();
  // What is scrolled to stays below the filters, which keep their place at the top.
  new ResizeObserver(() => {
    const sticky = getComputedStyle(form).position === "sticky";
    document.documentElement.style.scrollPaddingTop = sticky ? `${form.offsetHeight + 8}px` : "";
  }).observe(form);
});

function press(note) {
  for (const button of note.querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.value === note.dataset.verdict));
}

// Verdicts given in this browser before the page was closed.
function restore(findings, store) {
  let kept = null;
  try { kept = JSON.parse(localStorage.getItem(store)); } catch { /* none */ }
  notes.forEach((note) => {
    const item = note.dataset.item;
    if (kept) findings[item].verdict = kept[item] ?? findings[item].verdict;
    note.dataset.verdict = findings[item].verdict;
  });
}

function save(documents) {
  const content = JSON.stringify({ format: "patmark review", version: 1, documents }, null, 1);
  const address = URL.createObjectURL(new Blob([content], { type: "application/json" }));
  element("a", { href: address, download: "review.json" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

function hash(text) {
  let value = 5381;
  for (let place = 0; place < text.length; place += 1) value = (value * 33 + text.charCodeAt(place)) >>> 0;
  return value.toString(36);
}
