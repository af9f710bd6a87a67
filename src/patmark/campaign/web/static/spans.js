// Marking errors in a text, exact to the character: by mouse, finger or keyboard. Places count
// characters (code points), so that they mean the same everywhere; marks may touch.

import { say } from "./words.js";

// Characters of the text of `root` before a place of the document.
function charactersBefore(root, node, offset) {
  const range = document.createRange();
  range.setStart(root, 0);
  range.setEnd(node, offset);
  return Array.from(range.toString()).length;
}

// The part of [start, end) that no other mark covers, from its first free character on.
export function freePart(start, end, marks) {
  for (const mark of [...marks].sort((a, b) => a.start - b.start)) {
    if (mark.start === mark.end || mark.end <= start || mark.start >= end) continue;
    if (mark.start <= start) start = mark.end;
    else end = mark.start;
  }
  return start < end ? [start, end] : null;
}

export const SpansWidget = (Widget) => class extends Widget {
  constructor(root, changed) {
    super(root, changed);
    this.advances = false;
    this.box = root.querySelector(".marking");
    this.characters = Array.from(this.box.textContent);
    this.list = root.querySelector(".marked");
    this.row = root.querySelector(".mark-row");
    this.count = root.querySelector("output");
    this.spoken = root.querySelector("[data-caret]");
    this.button = root.querySelector(".mark-selection");
    this.none = root.querySelector(".mark-none");
    this.categories = [...this.row.content.querySelectorAll("option[value]")]
      .map((option) => option.value).filter(Boolean);
    this.severities = [...this.row.content.querySelectorAll("input")].map((one) => one.value);
    this.caret = 0;
    this.anchor = null;
    const missing = root.querySelector(".mark-missing");
    missing.hidden = !this.categories.includes("omission");
    for (const button of [this.button, missing]) {
      button.addEventListener("pointerdown", (event) => event.preventDefault());
    }
    this.button.addEventListener("click", () => this.mark());
    missing.addEventListener("click", () => this.markMissing());
    this.none.addEventListener("click", () => this.give("0", { spans: [] }));
    this.box.addEventListener("keydown", (event) => this.typed(event));
    this.box.addEventListener("focus", () => this.drawText());
    this.box.addEventListener("blur", () => this.drawText());
    document.addEventListener("selectionchange", () => this.selected());
  }

  get spans() { return this.answer.detail.spans ?? []; }

  get range() {
    return this.anchor === null || this.anchor === this.caret
      ? null : [Math.min(this.anchor, this.caret), Math.max(this.anchor, this.caret)];
  }

  // Take over what was selected with mouse or finger.
  selected() {
    const selection = document.getSelection();
    if (!selection.rangeCount || this.root.disabled) return;
    const { anchorNode, anchorOffset, focusNode, focusOffset, isCollapsed } = selection;
    if (!this.box.contains(anchorNode) || !this.box.contains(focusNode)) return;
    this.caret = charactersBefore(this.box, focusNode, focusOffset);
    this.anchor = isCollapsed ? null : charactersBefore(this.box, anchorNode, anchorOffset);
    this.native = !isCollapsed;
    this.button.disabled = this.range === null;
  }

  typed(event) {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const moves = {
      ArrowLeft: this.caret - 1, ArrowRight: this.caret + 1,
      Home: 0, End: this.characters.length,
    };
    if (event.key in moves) {
      this.move(moves[event.key], event.shiftKey);
    } else if (event.key === "Enter" && this.range) {
      this.mark();
    } else if (event.key === "Delete" || event.key === "Backspace") {
      const at = this.spans.findIndex(
        (one) => one.start <= this.caret && this.caret <= Math.max(one.end - 1, one.start));
      if (at >= 0) this.remove(at);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  move(to, selecting) {
    this.anchor = selecting ? this.anchor ?? this.caret : null;
    this.caret = Math.max(0, Math.min(to, this.characters.length));
    this.native = false;
    document.getSelection().removeAllRanges();
    const range = this.range;
    this.spoken.textContent = say("spans.caret", {
      at: this.caret + 1, total: this.characters.length,
      text: range ? this.characters.slice(...range).join("") : this.characters[this.caret] ?? "",
    });
    this.drawText();
  }

  mark() {
    const range = this.range;
    const free = range && freePart(...range, this.spans);
    if (free) this.add(free[0], free[1], this.categories[0]);
  }

  markMissing() { this.add(this.caret, this.caret, "omission"); }

  add(start, end, category) {
    if (this.root.disabled) return;
    const added = { start, end, severity: this.severities.at(-1), category };
    const spans = [...this.spans, added].sort((a, b) => a.start - b.start || a.end - b.end);
    this.anchor = null;
    this.caret = end;
    document.getSelection().removeAllRanges();
    this.put(spans);
    this.list.children[spans.indexOf(added)].querySelector("input").focus();
  }

  remove(at) {
    const focused = this.list.contains(document.activeElement);
    this.put(this.spans.filter((_, index) => index !== at));
    if (focused) this.box.focus();
  }

  put(spans) {
    if (spans.length) this.give(String(spans.length), { spans });
    else this.give(null);
  }

  change(at, part) {
    this.put(this.spans.map((one, index) => index === at ? { ...one, ...part } : one));
  }

  draw() {
    this.drawText();
    this.drawList();
    const { value } = this.answer;
    this.count.textContent = value === null ? "" : say("spans.count", { count: value });
    this.none.disabled = this.spans.length > 0;
    this.none.setAttribute("aria-pressed", String(value === "0"));
  }

  // The text in pieces: cut where a mark, the selection or the caret begins or ends.
  drawText() {
    const focused = document.activeElement === this.box;
    if (focused && this.native) return;
    const range = focused ? this.range : null;
    this.button.disabled = this.range === null;
    const cuts = new Set([0, this.characters.length, ...this.spans.flatMap((one) => [one.start, one.end])]);
    if (range) range.forEach((at) => cuts.add(at));
    if (focused) cuts.add(this.caret);
    const places = [...cuts].sort((a, b) => a - b);
    this.box.replaceChildren();
    places.forEach((start, index) => {
      this.spans.forEach((one, number) => {
        if (one.start === one.end && one.start === start) this.box.append(this.piece("", one, number, true));
      });
      if (focused && start === this.caret) this.box.append(this.caretMark());
      const end = places[index + 1];
      if (end === undefined) return;
      const number = this.spans.findIndex((one) => one.start <= start && end <= one.end && one.start < one.end);
      const text = this.characters.slice(start, end).join("");
      const piece = number < 0 ? document.createElement("span")
        : this.piece(text, this.spans[number], number, end === this.spans[number].end);
      if (number < 0) piece.textContent = text;
      if (range && range[0] <= start && end <= range[1]) piece.classList.add("selected");
      this.box.append(piece);
    });
  }

  piece(text, span, number, last) {
    const mark = document.createElement("mark");
    mark.className = `error level-${this.severities.indexOf(span.severity)}`;
    mark.textContent = text;
    if (last) mark.dataset.number = number + 1;
    if (span.start === span.end) mark.classList.add("gap");
    return mark;
  }

  caretMark() {
    const caret = document.createElement("span");
    caret.className = "caret";
    return caret;
  }

  drawList() {
    const focused = this.list.contains(document.activeElement)
      ? [...this.list.querySelectorAll("input, select, button")].indexOf(document.activeElement) : -1;
    this.list.replaceChildren(...this.spans.map((span, at) => this.listRow(span, at)));
    if (focused >= 0) {
      const controls = this.list.querySelectorAll("input, select, button");
      controls[Math.min(focused, controls.length - 1)]?.focus();
    }
  }

  listRow(span, at) {
    const row = this.row.content.firstElementChild.cloneNode(true);
    const number = { number: at + 1 };
    row.querySelector("q").textContent = span.start === span.end
      ? say("spans.gap") : this.characters.slice(span.start, span.end).join("");
    row.querySelector("q").lang = this.box.lang;
    row.querySelector(".severity").setAttribute("aria-label", say("spans.severity", number));
    for (const input of row.querySelectorAll("input")) {
      input.name = `${this.root.id}-${at}`;
      input.checked = input.value === span.severity;
      input.addEventListener("change", () => this.change(at, { severity: input.value }));
    }
    const category = row.querySelector(".category");
    if (category) {
      category.setAttribute("aria-label", say("spans.category", number));
      category.querySelector('option[value=""]').remove();
      category.value = span.category;
      if (span.start === span.end) category.disabled = true;
      category.addEventListener("change", () => this.change(at, { category: category.value }));
    }
    const remove = row.querySelector(".remove");
    remove.setAttribute("aria-label", say("spans.remove", number));
    remove.addEventListener("click", () => this.remove(at));
    return row;
  }

  press(key) {
    const row = document.activeElement.closest(".marked > li");
    const severity = row && [...row.querySelectorAll("input")].find((one) => one.dataset.key === key);
    if (severity) this.change([...this.list.children].indexOf(row), { severity: severity.value });
    else if (key === "0" && !this.spans.length) this.give("0", { spans: [] });
    else return false;
    return true;
  }
};
