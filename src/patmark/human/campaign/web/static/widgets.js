// One object for each question of a page: what was answered, how to show it, which keys it takes.
// `changed(widget)` is called after every change that a person made.

import { SpansWidget } from "./spans.js";
import { tr } from "./words.js";
import { TextWidget } from "./writing.js";

class Widget {
  constructor(root, changed) {
    this.root = root;
    this.changed = () => changed(this);
    this.candidate = root.dataset.candidate;
    this.question = root.dataset.question;
    this.place = `${this.candidate}|${this.question}`;
    this.title = root.querySelector("legend").textContent;
    this.required = "required" in root.dataset;
    this.revision = 0;
    this.advances = true;
    this.answer = { value: null, detail: {} };
  }

  get begun() { return false; }

  get pending() { return false; }

  get settled() { return this.answer.value !== null || Boolean(this.answer.detail.reason); }

  give(value, detail = {}) {
    this.before = this.answer;
    this.answer = { value, detail };
    this.draw();
    this.changed();
  }

  show(answer) {
    this.answer = { value: answer.value, detail: answer.detail ?? {} };
    this.draw();
  }

  refused(stored) { this.show(stored); }

  // An answer in a few words.
  summary(answer) { return answer.value ?? tr("empty"); }

  draw() {}
  press() { return false; }
  begin() {}
  keep() {}
  leave() {}
  left() {}
}

function radios(root) { return [...root.querySelectorAll("input[type=radio]")]; }

function check(inputs, value) {
  for (const input of inputs) input.checked = input.value === value;
}

class ChoiceWidget extends Widget {
  constructor(root, changed) {
    super(root, changed);
    this.inputs = radios(root);
    for (const input of this.inputs) {
      input.addEventListener("change", () => this.give(input.value));
    }
  }

  draw() { check(this.inputs, this.answer.value); }

  press(key) {
    const input = this.inputs.find((one) => one.dataset.key === key);
    if (input) this.give(input.value);
    return Boolean(input);
  }
}

class ChartWidget extends Widget {
  constructor(root, changed) {
    super(root, changed);
    this.steps = [...root.querySelectorAll(".step")];
    this.direct = radios(root.querySelector(".direct") ?? document.createElement("div"));
    this.output = root.querySelector("output");
    for (const step of this.steps) {
      for (const input of radios(step)) {
        input.addEventListener("change", () => this.say(step, input.value));
      }
    }
    for (const input of this.direct) {
      input.addEventListener("change", () => this.give(input.value));
    }
  }

  // The steps on the way that the answers take, and the grade or the open step at its end.
  walk(said) {
    const path = [];
    let place = this.steps[0].dataset.step;
    for (;;) {
      const step = this.steps.find((one) => one.dataset.step === place);
      if (!step) return { path, grade: place.slice(1), open: null };
      if (!said[place]) return { path, grade: null, open: step };
      path.push(step);
      place = step.dataset[said[place]];
    }
  }

  say(step, answer) {
    const said = { ...this.answer.detail.steps, [step.dataset.step]: answer };
    const { path, grade } = this.walk(said);
    const kept = path.map((one) => [one.dataset.step, said[one.dataset.step]]);
    this.give(grade, { steps: Object.fromEntries(kept) });
  }

  draw() {
    const said = this.answer.detail.steps ?? {};
    const { path, open } = this.walk(said);
    const chosen = this.answer.value !== null && !path.length;
    for (const step of this.steps) {
      step.hidden = chosen ? step !== this.steps[0] : !path.includes(step) && step !== open;
      step.classList.toggle("now", step === open && !chosen);
      check(radios(step), said[step.dataset.step]);
    }
    check(this.direct, this.answer.value);
    this.output.textContent = this.answer.value === null
      ? tr("No grade yet") : tr("Grade: {value}", { value: this.answer.value });
    this.root.classList.toggle("graded", this.answer.value !== null);
  }

  press(key) {
    const answer = { y: "yes", n: "no" }[key];
    if (answer) {
      const { open } = this.walk(this.answer.detail.steps ?? {});
      if (open) this.say(open, answer);
      return true;
    }
    const input = this.direct.find((one) => one.dataset.key === key);
    if (input) this.give(input.value);
    return Boolean(input);
  }
}

class NumberWidget extends Widget {
  constructor(root, changed) {
    super(root, changed);
    this.advances = false;
    this.highest = Number(root.dataset.highest);
    this.lowest = Number(root.dataset.lowest);
    this.typed = "";             // the digits since the question was reached
    this.inputs = radios(root);
    this.range = root.querySelector("input[type=range]");
    this.field = root.querySelector("input[type=number]");
    this.bands = [...root.querySelectorAll(".bands li")];
    for (const input of this.inputs) {
      input.addEventListener("change", () => { this.left(); this.give(input.value); });
    }
    this.problem = root.querySelector(".problem");
    this.range?.addEventListener("change", () => this.give(this.range.value));
    this.range?.addEventListener("input", () => { this.field.value = this.range.value; });
    // The lowest number is where the slider stands before anybody touched it.
    for (const name of ["click", "keyup"]) {
      this.range?.addEventListener(name, ({ key }) => {
        if (this.answer.value === null && !["Tab", "Shift"].includes(key)) this.give(this.range.value);
      });
    }
    this.field?.addEventListener("input", () => this.tell());
    for (const name of ["change", "blur"]) this.field?.addEventListener(name, () => this.keep());
    if (!this.field) return;
    addEventListener("pagehide", () => this.keep());
    // Each band stands under its part of the slider.
    const length = this.highest + 1 - this.lowest;
    this.bands.forEach((band, at) => {
      const start = (band.dataset.from - this.lowest) / length;
      const end = ((this.bands[at + 1]?.dataset.from ?? this.highest + 1) - this.lowest) / length;
      band.style.flexGrow = end - start;
      band.style.setProperty("--start", `${100 * start}%`);
      band.style.setProperty("--rest", `${100 * (1 - end)}%`);
      band.style.setProperty("--room", Math.max(end, 1 - start) / (end - start));
      band.classList.toggle("late", start + end > 1);
    });
  }

  // What keeps the number in the field from being an answer, if anything.
  get fault() {
    const { value, validity } = this.field;
    const wrong = validity.badInput || (value !== "" && !this.allowed(value));
    return wrong ? tr("A whole number from {lowest} to {highest}", { lowest: this.lowest, highest: this.highest }) : "";
  }

  tell() {
    this.problem.textContent = this.fault;
    this.field.setAttribute("aria-invalid", String(Boolean(this.fault)));
  }

  // A number that cannot be is no answer, and stays in its field to be mended.
  keep() {
    if (!this.field || this.root.disabled) return;
    const { value, validity } = this.field;
    if (value === (this.answer.value ?? "") && !validity.badInput) return;
    if (!this.fault) this.give(value === "" ? null : String(Number(value)));
    else if (this.answer.value !== null) {
      this.give(null);
      this.field.value = value;
    }
    this.tell();
  }

  allowed(value) {
    const number = Number(value);
    return Number.isInteger(number) && number >= this.lowest && number <= this.highest;
  }

  draw() {
    const { value } = this.answer;
    check(this.inputs, value);
    if (this.range) {
      this.range.value = value ?? this.lowest;
      this.range.classList.toggle("untouched", value === null);
      this.range.setAttribute("aria-valuetext", value ?? tr("no score yet"));
      this.field.value = value ?? "";
      this.tell();
    }
    const reached = this.bands.filter((band) => value !== null && Number(band.dataset.from) <= Number(value));
    const best = reached.sort((a, b) => b.dataset.from - a.dataset.from)[0];
    for (const band of this.bands) band.classList.toggle("now", band === best);
  }

  press(key) {
    if (!/^[0-9]$/.test(key)) return false;
    if (this.field) {
      this.field.focus();
      this.field.value = key;
      this.tell();
      return true;
    }
    this.typed = this.allowed(this.typed + key) ? this.typed + key : key;
    if (this.allowed(this.typed)) this.give(String(Number(this.typed)));
    return true;
  }

  // Digits belong together, however slow, until the question is left.
  left() { this.typed = ""; }

  show(answer) {
    this.left();
    super.show(answer);
  }
}

class RankingWidget extends Widget {
  constructor(root, changed) {
    super(root, changed);
    this.advances = false;
    this.places = [...root.querySelectorAll(".place")];
    this.output = root.querySelector("output");
    this.given = {};
    for (const place of this.places) {
      for (const input of radios(place)) {
        input.addEventListener("change", () => this.rank(place.dataset.label, input.value));
      }
    }
  }

  rank(label, place) {
    this.given = { ...this.given, [label]: Number(place) };
    const complete = this.places.every((one) => this.given[one.dataset.label]);
    if (complete) this.give(this.text());
    else this.give(null, { places: this.given });
  }

  give(value, detail = {}) {
    if (value === null) this.given = { ...detail.places };
    super.give(value, detail);
  }

  text() {
    const groups = new Map();
    for (const { dataset: { label } } of this.places) {
      const place = this.given[label];
      groups.set(place, [...groups.get(place) ?? [], label]);
    }
    return [...groups].sort((a, b) => a[0] - b[0]).map(([, labels]) => labels.join("=")).join(">");
  }

  show(answer) {
    this.given = { ...answer.detail?.places };
    let place = 1;
    for (const group of answer.value?.split(">") ?? []) {
      const labels = group.split("=");
      for (const label of labels) this.given[label] = place;
      place += labels.length;
    }
    super.show(answer);
  }

  draw() {
    for (const place of this.places) {
      check(radios(place), String(this.given[place.dataset.label] ?? ""));
    }
    this.output.textContent = this.answer.value === null
      ? tr("Give every text a place; equal texts share one.") : tr("Order: {value}", { value: this.answer.value });
    const open = this.places.find((place) => !this.given[place.dataset.label]);
    for (const place of this.places) place.classList.toggle("now", place === open);
  }

  // A digit is for the text that has the focus, else for the first one without a place.
  press(key) {
    const focused = document.activeElement.closest(".place");
    const place = focused ?? this.places.find((one) => !this.given[one.dataset.label]);
    const input = place && radios(place).find((one) => one.value === key);
    if (!input) return /^[0-9]$/.test(key);
    this.rank(place.dataset.label, key);
    return true;
  }
}

const KINDS = {
  grade: ChoiceWidget,
  preference: ChoiceWidget,
  chart: ChartWidget,
  number: NumberWidget,
  ranking: RankingWidget,
  spans: SpansWidget(Widget),
  text: TextWidget(Widget),
  "post-edit": TextWidget(Widget),
};

export function makeWidget(root, changed) {
  const widget = new KINDS[root.dataset.kind](root, changed);
  widget.draw();
  return widget;
}
