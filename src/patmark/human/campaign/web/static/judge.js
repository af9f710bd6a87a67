// The judging page: answers are saved as they are given, and everything works by keyboard.

import { keyboard } from "./keyboard.js";
import { notice, showAside, withdraw } from "./notices.js";
import { newClient, SaveQueue } from "./queue.js";
import { ActiveTimer } from "./timer.js";
import { makeWidget } from "./widgets.js";
import { tr } from "./words.js";

const state = JSON.parse(document.querySelector("#state").textContent);
const saving = document.querySelector("#saving");
const CHECKED = "|checked";
const LEFT_OPEN = "patmark-left-open";
const heading = document.querySelector("h1").textContent;
const judging = document.querySelector(".judging");
const next = document.querySelector("#next");
const undoButton = document.querySelector("#undo");
const timer = new ActiveTimer();
const undone = [];
const widgets = [...document.querySelectorAll("fieldset.question")]
  .map((root) => makeWidget(root, changed));
const byPlace = new Map(widgets.map((widget) => [widget.place, widget]));
const otherTabs = "BroadcastChannel" in window ? new BroadcastChannel(`patmark:${state.who}`) : null;
const checkButton = document.querySelector("#check");
let said = "";
let leaving = "";              // where to go once everything is saved
let checked = state.checked;   // the answers as they are
let everSaved = state.answers.length > 0;

const queue = new SaveQueue(state.who, state.csrf, {
  state: showState,
  saved,
  refused(entry, reason) {
    hold(false);
    notice("refused", tr("An answer was refused and is not saved: {reason}", { reason }));
    const widget = widgetOf(entry);
    if (!widget) return;
    widget.refused(widget.stored ?? { value: null });
    drawExtras(widget);
  },
  aside(entry) {
    hold(false);
    if (!entry.newer) state.open = false;
    const widget = widgetOf(entry);
    if (widget && entry.newer) {
      widget.revision = entry.newer.revision;
      widget.stored = entry.newer;
      widget.show(entry.newer);
    } else widget?.refused(widget.stored ?? { value: null });
    if (widget) drawExtras(widget);
    showAside(queue, state.open);
  },
  signedOut() {
    notice("signed-out", tr("Your session has ended. Open your private link again; answers not yet sent are kept on this device."),
      { [tr("Reload")]: () => location.reload() });
  },
});

// Nothing changes while the page is left or checked: what is typed then is meant for the next one.
function hold(held) { judging.inert = held; }

function tell(text) {
  said = text;
  showState();
}

function showState() {
  const pending = queue.pending();
  saving.classList.toggle("waiting", pending > 0);
  if (queue.offline && pending) {
    if (!leaving) hold(false);
    notice("offline", tr("No connection. Your answers are kept on this device and will be sent as soon as possible."),
      leaving ? { [tr("Stay on this page")]: stay } : {});
  } else withdraw("offline");
  if (!queue.durable) notice("storage", tr("This browser keeps nothing on the device: stay online until everything is saved."));
  const text = !pending ? said || (everSaved ? tr("Saved") : "")
    : queue.offline && leaving ? tr("No connection: {count} kept here; the page changes when they are saved", { count: pending })
      : queue.offline ? tr("No connection: {count} kept here", { count: pending })
        : queue.sending ? tr("Saving …") : tr("{count} not saved yet", { count: pending });
  if (saving.textContent !== text) saving.textContent = text;
  const open = openWidgets();
  undoButton.disabled = !undone.length || state.locked;
  if (checkButton) checkButton.disabled = open.length > 0 || checked;
  next.classList.toggle("ready", !open.length && (!checkButton || checked));
}

function openWidgets() { return widgets.filter((one) => one.required && !one.settled); }

function changed(widget) {
  undone.push({ widget, before: widget.before });
  save(widget);
}

function save(widget) {
  said = "";
  checked = false;
  for (const line of widget.root.querySelectorAll(".feedback")) line.remove();
  drawExtras(widget);
  const client = newClient();
  queue.add({
    client,
    at: Date.now(),
    where: `${heading} · ${widget.title}`,
    shown: widget.summary(widget.answer),
    place: `${state.page}|${widget.place}`,
    address: "/api/answer",
    body: {
      page: state.page, candidate: widget.candidate, question: widget.question,
      value: widget.answer.value, detail: widget.answer.detail,
      known: widget.revision, client, seconds: timer.take(),
    },
  });
}

function widgetOf({ body }) {
  return body.page === state.page ? byPlace.get(`${body.candidate}|${body.question}`) : undefined;
}

function saved(entry, answer) {
  everSaved = true;
  if (entry.place === `${state.page}|${CHECKED}`) wasChecked(answer);
  else if (answer.feedback && entry.body.page === state.page) showFeedback(answer.feedback);
  const widget = widgetOf(entry);
  if (!widget) return;
  widget.revision = answer.revision;
  widget.stored = { value: entry.body.value, detail: entry.body.detail };
  if (answer.conflict) {
    undone.push({ widget, before: answer.conflict });
    notice("conflict", tr("This answer had been changed in another window ({value}); your answer here replaced it. Undo brings the other one back.", { value: widget.summary(answer.conflict) }));
  }
  otherTabs?.postMessage({
    place: entry.place, answer: { value: entry.body.value, detail: entry.body.detail },
    revision: answer.revision,
  });
}

// A training page is looked at when its evaluator asks for it, not while answers are given.
function check() {
  for (const widget of widgets) widget.keep();
  const count = openWidgets().length;
  if (count) return tell(tr("Answers still open on this page: {count}", { count }));
  const client = newClient();
  checked = true;
  hold(true);
  queue.add({
    client,
    at: Date.now(),
    where: heading,
    shown: tr("Check"),
    place: `${state.page}|${CHECKED}`,
    address: "/api/answer",
    body: {
      page: state.page, candidate: "", question: "checked", value: "done", detail: {},
      known: state.checks, client, seconds: timer.take(),
    },
  });
}

function wasChecked(answer) {
  hold(false);
  state.checks = answer.revision;
  if (answer.feedback) showFeedback(answer.feedback);
  else tell(tr("Checked. Reference answers, if there are any, come after the last training page."));
}

function undo() {
  if (state.locked || judging.inert) return;
  const last = undone.pop();
  if (!last) return tell(tr("Nothing to undo"));
  last.widget.show(last.before);
  last.widget.root.focus();
  save(last.widget);
  tell(tr("Undone"));
}

// The reason why a question is not answered, and scores that follow from others.
function drawExtras(widget) {
  const { reason } = widget.answer.detail;
  const line = widget.root.querySelector(".reason");
  line.hidden = !reason;
  line.textContent = reason ? tr("Not judged: {reason}", { reason }) : "";
  widget.root.classList.toggle("settled", widget.settled);
  widget.root.querySelector(".clear").hidden = !widget.settled && !widget.begun;
  for (const score of state.computed) {
    const output = document.querySelector(
      `.computed[data-score="${score.id}"][data-candidate="${widget.candidate}"] output`);
    if (output) output.textContent = computed(score.weights, widget.candidate);
  }
}

function computed(weights, candidate) {
  let sum = 0, total = 0;
  for (const [question, weight] of Object.entries(weights)) {
    const value = byPlace.get(`${candidate}|${question}`)?.answer.value ?? null;
    if (value === null) return "–";
    sum += weight * Number(value);
    total += weight;
  }
  return (sum / total).toFixed(2);
}

function showFeedback(feedback) {
  state.locked = state.locked || !feedback.left;
  for (const line of document.querySelectorAll("p.feedback")) line.remove();
  for (const expected of feedback.expected) {
    const widget = byPlace.get(`${expected.candidate}|${expected.question}`);
    if (!widget) continue;
    const same = expected.agrees;
    const { value } = expected;
    const words = same
      ? (value ? tr("Right. The reference answer is {value}", { value }) : tr("Right. Nothing else is an error."))
      : (value ? tr("The reference answer is {value}", { value }) : tr("There are marks where the reference answer has none."));
    addFeedback(widget, `${same ? "✓" : "✗"} ${words}`, same ? "same" : "other");
  }
  for (const [label, text] of Object.entries(feedback.why)) {
    const widget = widgets.findLast((one) => one.candidate === label) ?? widgets.at(-1);
    addFeedback(widget, text, "why");
  }
  document.querySelector("#training-note")?.remove();
  const line = document.querySelector("#feedback");
  const found = tr("{right} of {total} answers on this page agree with the reference answers.", feedback);
  const again = tr("You can change your answers and check them again (times left: {left}), or go on.", feedback);
  line.textContent = feedback.left ? `${found} ${again}` : found;
  line.hidden = false;
  undone.length = 0;
  if (state.locked) {
    for (const widget of widgets) widget.root.disabled = true;
    checkButton?.remove();
  }
  next.focus({ preventScroll: true });
  line.scrollIntoView({ block: "center" });
  showState();
}

function addFeedback(widget, text, kind) {
  const line = document.createElement("p");
  line.className = `feedback ${kind}`;
  line.textContent = text;
  widget.root.querySelector(".cannot").before(line);
}

async function goTo(address) {
  const waits = leaving;
  leaving = address;
  hold(true);
  if (!waits) await leave();
}

async function leave() {
  await queue.flush();
  if (!leaving) return;
  if (queue.pending() === 0 && !queue.sending) location.assign(leaving);
  else setTimeout(leave, 300);
}

function stay() {
  leaving = "";
  hold(false);
  withdraw("offline");
  showState();
}

// Let the next page tell what was left open on this one.
function noteOpen() {
  const count = openWidgets().length;
  const unchecked = checkButton?.isConnected && !checked;
  if (state.locked || !(count || unchecked)) return;
  const text = count ? tr("You left answers open on {page}: {count}", { page: heading, count })
    : tr("You did not check {page}.", { page: heading });
  try { sessionStorage.setItem(LEFT_OPEN, text); } catch { /* not told */ }
}

function tellOpen() {
  try {
    const text = sessionStorage.getItem(LEFT_OPEN);
    sessionStorage.removeItem(LEFT_OPEN);
    if (text) notice("left-open", text);
  } catch { /* nothing is known */ }
}

// A text that goes on below its box says so.
for (const box of document.querySelectorAll("[data-more]")) {
  const draw = () => box.classList.toggle("more", box.scrollHeight - box.clientHeight - box.scrollTop > 8);
  box.addEventListener("scroll", draw, { passive: true });
  new ResizeObserver(draw).observe(box);
  draw();
}

for (const link of document.querySelectorAll("#next, #previous")) {
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    for (const widget of widgets) if (link === next) widget.leave(); else widget.keep();
    if (link === next) noteOpen();
    goTo(link.href);
  });
}
undoButton.addEventListener("click", undo);
checkButton?.addEventListener("click", check);

for (const widget of widgets) {
  const reason = widget.root.querySelector(".cannot input");
  const giveReason = () => {
    if (!reason.value.trim()) return reason.focus();
    widget.give(null, { reason: reason.value.trim() });
    reason.closest("details").open = false;
    widget.root.focus();
  };
  widget.root.querySelector(".save-reason").addEventListener("click", giveReason);
  reason.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    event.stopPropagation();
    giveReason();
  });
  widget.root.querySelector(".clear").addEventListener("click", () => widget.give(null));
}

const remark = document.querySelector("#remark");
function saveRemark() {
  const text = remark.querySelector("textarea").value;
  const flagged = remark.querySelector("[type=checkbox]").checked;
  queue.add({
    client: newClient(), at: Date.now(), where: heading, shown: text, place: `${state.page}|remark`, address: "/api/remark",
    body: { page: state.page, text, flagged },
  });
}
remark.querySelector("button").addEventListener("click", saveRemark);
for (const input of remark.querySelectorAll("textarea, [type=checkbox]")) {
  input.addEventListener("change", saveRemark);
}

otherTabs?.addEventListener("message", ({ data }) => {
  const place = data.place.slice(state.page.length + 1);
  const widget = data.place.startsWith(`${state.page}|`) && byPlace.get(place);
  if (!widget || data.revision <= widget.revision || widget.pending) return;
  widget.revision = data.revision;
  widget.stored = data.answer;
  widget.show(data.answer);
  drawExtras(widget);
  notice("other-tab", tr("This page was changed in another window."));
});

for (const answer of state.answers) {
  const widget = byPlace.get(`${answer.candidate}|${answer.question}`);
  widget.revision = answer.revision;
  widget.stored = answer;
  widget.show(answer);
}
for (const entry of queue.entries()) {
  widgetOf(entry)?.show(entry.body);
  if (entry.place === `${state.page}|${CHECKED}`) checked = true;
}
widgets.forEach(drawExtras);
showAside(queue, state.open);
tellOpen();
if (state.feedback) showFeedback(state.feedback);
showState();
queue.flush();
keyboard(widgets, { state, undo, tell, held: () => judging.inert, next: () => (checkButton?.isConnected && !checked ? check() : next.click()), previous: document.querySelector("#previous") });
