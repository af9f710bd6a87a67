// Writing a text. A translation is saved while it is written, as unfinished, and becomes the answer
// when it is finished: by the button, by Ctrl and Enter, or by going on to the next page. What is
// said freely needs no such end: it is the answer as it stands.

import { tr } from "./words.js";

const PAUSE = 1000;            // without a key before the text is saved
const LONGEST_KEPT = 20000;    // what the server keeps of a text that is not finished
const EXCERPT = 60;

export const TextWidget = (Widget) => class extends Widget {
  constructor(root, changed) {
    super(root, changed);
    this.advances = false;
    this.lowest = Number(root.dataset.lowest);
    this.highest = Number(root.dataset.highest);
    this.field = root.querySelector("textarea");
    this.draft = this.field.value;
    this.count = root.querySelector("output");
    this.problem = root.querySelector(".problem");
    this.done = root.querySelector(".finish");
    this.free = "free" in root.dataset;
    this.timer = 0;
    this.field.addEventListener("input", (event) => {
      this.tell();
      if (!event.isComposing) this.later();
    });
    this.field.addEventListener("compositionend", () => this.later());
    this.field.addEventListener("change", () => this.keep());
    this.field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      if (this.finish()) root.focus();
    });
    this.done?.addEventListener("click", () => this.finish());
    addEventListener("pagehide", () => this.keep());
  }

  get begun() { return "unfinished" in this.answer.detail; }

  get pending() { return Boolean(this.timer); }

  get text() { return this.answer.value ?? this.answer.detail.unfinished ?? this.draft; }

  get length() { return Array.from(this.field.value).length; }

  // What keeps the text from being finished, if anything.
  get fault() {
    const count = this.length;
    if (!this.field.value.trim()) return tr("There is no text yet.");
    if (count > this.highest) return tr("Too long: {count} characters, and at most {most} are allowed. Please shorten the text.", { count, most: this.highest });
    return count < this.lowest ? tr("Too short: {count} characters, and at least {least} are needed.", { count, least: this.lowest }) : "";
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.keep(), PAUSE);
  }

  // Save what was typed since the last save.
  keep() {
    clearTimeout(this.timer);
    this.timer = 0;
    if (this.root.disabled || this.field.value === this.text || this.length > LONGEST_KEPT) return;
    if (this.free && !this.field.value) this.give(null);
    else if (this.free && !this.fault) this.give(this.field.value);
    else this.give(null, { unfinished: this.field.value });
  }

  finish() {
    if (this.root.disabled) return false;
    if (this.free && !this.required && !this.field.value) return true;
    clearTimeout(this.timer);
    this.timer = 0;
    const { fault } = this;
    if (fault) {
      this.keep();
      this.tell(fault);
      this.field.focus();
    } else if (this.field.value !== this.answer.value) {
      this.give(this.field.value);
    }
    return !fault;
  }

  // What was typed is finished by going on; a draft that nobody touched stays open.
  leave() {
    this.keep();
    if (this.begun && !this.fault) this.finish();
  }

  begin() { this.field.focus(); }

  // The text stays in its field when the server does not take it.
  refused(stored) { this.answer = { value: stored.value, detail: stored.detail ?? {} }; }

  summary(answer) {
    const text = Array.from(answer.value ?? answer.detail?.unfinished ?? "");
    if (!text.length) return super.summary(answer);
    return text.slice(0, EXCERPT).join("") + (text.length > EXCERPT ? "…" : "");
  }

  draw() {
    if (this.field.value !== this.text) this.field.value = this.text;
    this.done?.setAttribute("aria-pressed", String(this.answer.value !== null));
    this.tell();
  }

  tell(problem = "") {
    const count = this.length;
    const long = count > this.highest ? tr("Too long: {count} characters, and at most {most} are allowed. Please shorten the text.", { count, most: this.highest }) : "";
    const said = problem || long;
    this.count.textContent = tr("{count} of at most {most} characters", { count, most: this.highest });
    if (this.problem.textContent !== said) this.problem.textContent = said;
    this.field.setAttribute("aria-invalid", String(Boolean(said)));
  }
};
