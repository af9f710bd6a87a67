// Marking errors in texts, exact to the character: by mouse, finger or keyboard. Places count
// characters (code points), so that they mean the same everywhere; marks may touch. A mark is
// complete when its severity and its kind are chosen and, if it was proposed, it is decided on.

import { tr } from "./words.js";

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

// One text that can be marked: its caret, its selection, and its marks as they are shown.
class MarkingBox {
  constructor(root, widget) {
    this.root = root;
    this.widget = widget;
    this.side = root.dataset.side;
    this.characters = Array.from(root.textContent);
    this.caret = 0;
    this.anchor = null;
    root.addEventListener("keydown", (event) => this.typed(event));
    root.addEventListener("focus", () => { widget.box = this; this.draw(); });
    root.addEventListener("blur", () => this.draw());
    document.addEventListener("selectionchange", () => this.selected());
  }

  get range() {
    return this.anchor === null || this.anchor === this.caret
      ? null : [Math.min(this.anchor, this.caret), Math.max(this.anchor, this.caret)];
  }

  text(mark) { return this.characters.slice(mark.start, mark.end).join(""); }

  focus() { this.root.focus(); }

  // Take over what was selected with mouse or finger.
  selected() {
    const selection = document.getSelection();
    if (!selection.rangeCount || this.widget.root.disabled) return;
    const { anchorNode, anchorOffset, focusNode, focusOffset, isCollapsed } = selection;
    if (!this.root.contains(anchorNode) || !this.root.contains(focusNode)) return;
    this.caret = charactersBefore(this.root, focusNode, focusOffset);
    this.anchor = isCollapsed ? null : charactersBefore(this.root, anchorNode, anchorOffset);
    this.native = !isCollapsed;
    this.widget.box = this;
    this.widget.drawTools();
  }

  typed(event) {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const moves = {
      ArrowLeft: this.caret - 1, ArrowRight: this.caret + 1,
      Home: 0, End: this.characters.length,
    };
    const under = this.widget.markAt(this);
    if (event.key in moves) this.move(moves[event.key], event.shiftKey);
    else if (event.key === "Enter" && this.range) this.widget.mark();
    else if (event.key === "Enter" && under >= 0) this.widget.focusRow(under);
    else if ((event.key === "Delete" || event.key === "Backspace") && under >= 0) this.widget.remove(under);
    else if (!["Delete", "Backspace"].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  move(to, selecting) {
    this.anchor = selecting ? this.anchor ?? this.caret : null;
    this.caret = Math.max(0, Math.min(to, this.characters.length));
    this.native = false;
    document.getSelection().removeAllRanges();
    const range = this.range;
    this.widget.spoken.textContent = tr("Character {at} of {total}: {text}", {
      at: this.caret + 1, total: this.characters.length,
      text: range ? this.characters.slice(...range).join("") : this.characters[this.caret] ?? "",
    });
    this.draw();
  }

  // The caret stands at a place, and nothing is selected.
  rest(at) {
    this.anchor = null;
    this.caret = at;
    this.native = false;
    document.getSelection().removeAllRanges();
  }

  // The text in pieces: cut where a mark, the selection or the caret begins or ends.
  draw() {
    const focused = document.activeElement === this.root;
    if (focused && this.native) return;
    const range = focused ? this.range : null;
    this.widget.drawTools();
    const marks = this.widget.spans.map((one, number) => ({ ...one, number }))
      .filter((one) => one.side === this.side);
    const cuts = new Set([0, this.characters.length, ...marks.flatMap((one) => [one.start, one.end])]);
    if (range) range.forEach((at) => cuts.add(at));
    if (focused) cuts.add(this.caret);
    const places = [...cuts].sort((a, b) => a - b);
    this.root.replaceChildren();
    places.forEach((start, index) => {
      for (const one of marks) {
        if (one.start === one.end && one.start === start) this.root.append(this.piece("", one, true));
      }
      if (focused && start === this.caret) this.root.append(this.caretMark());
      const end = places[index + 1];
      if (end === undefined) return;
      // Of marks that overlap, the one that begins last is shown.
      const mark = marks.findLast((one) => one.start <= start && end <= one.end && one.start < one.end);
      const text = this.characters.slice(start, end).join("");
      const piece = mark ? this.piece(text, mark, end === mark.end) : document.createElement("span");
      if (!mark) piece.textContent = text;
      if (range && range[0] <= start && end <= range[1]) piece.classList.add("selected");
      this.root.append(piece);
    });
  }

  piece(text, span, last) {
    const mark = document.createElement("mark");
    const level = this.widget.severities.indexOf(span.severity);
    mark.className = `error ${level < 0 ? "level-open" : `level-${level}`}`;
    mark.textContent = text;
    if (last) mark.dataset.number = span.number + 1;
    if (span.start === span.end) mark.classList.add("gap");
    if (span.undecided) mark.classList.add("undecided");
    return mark;
  }

  caretMark() {
    const caret = document.createElement("span");
    caret.className = "caret";
    return caret;
  }
}

export const SpansWidget = (Widget) => class extends Widget {
  constructor(root, changed) {
    super(root, changed);
    this.advances = false;
    this.list = root.querySelector(".marked");
    this.keys = root.querySelector(".kind-keys");
    this.row = root.querySelector(".mark-row");
    this.count = root.querySelector("output");
    this.spoken = root.querySelector("[data-caret]");
    this.button = root.querySelector(".mark-selection");
    this.none = root.querySelector(".mark-none");
    this.acceptAll = root.querySelector(".accept-all");
    this.missing = root.querySelector(".mark-missing");
    this.severities = [...this.row.content.querySelectorAll("input")].map((one) => one.value);
    this.readKinds();
    this.proposed = JSON.parse(root.dataset.proposed)
      .map((mark, proposal) => ({ side: "target", ...mark, proposal, undecided: true }));
    this.boxes = [...root.querySelectorAll(".marking")].map((box) => new MarkingBox(box, this));
    this.box = this.boxes.at(-1);
    for (const button of [this.button, this.missing]) {
      button.addEventListener("pointerdown", (event) => event.preventDefault());
    }
    this.button.addEventListener("click", () => this.mark());
    this.missing.addEventListener("click", () => this.markMissing());
    this.none.addEventListener("click", () => this.give("0", { spans: [] }));
    this.acceptAll.addEventListener("click", () => this.put(this.spans.map(decided)));
    this.list.addEventListener("keydown", (event) => this.typedInRow(event));
  }

  // The kinds of error, and the keys that give them: of a group first, then of a kind in it.
  readKinds() {
    const template = this.row.content.querySelector(".category");
    const options = (of) => [...of.querySelectorAll("option[data-key]")].map((one) => (
      { value: one.value, key: one.dataset.key, label: one.textContent, hint: one.dataset.hint,
        missing: "missing" in one.dataset }));
    this.groups = template ? [...template.querySelectorAll("optgroup")].map((one) => (
      { key: one.dataset.key, label: one.label, kinds: options(one) })) : [];
    this.kinds = template ? options(template) : [];
    if (template && !this.groups.length) {
      this.groups = this.kinds.map((one) => ({ key: one.key, label: one.label, kinds: [one] }));
    }
    this.opened = null;
    const gaps = this.kinds.filter((one) => one.missing);
    this.gap = gaps.length === 1 ? gaps[0].value : null;
    this.missing.hidden = this.kinds.length > 0 && !gaps.length;
  }

  get spans() {
    const { spans, unfinished, reason } = this.answer.detail;
    const found = spans ?? unfinished ?? (reason ? [] : this.proposed);
    return found.map((one) => ({ side: "target", ...one }));
  }

  get begun() { return "unfinished" in this.answer.detail; }

  boxOf(mark) { return this.boxes.find((one) => one.side === mark.side); }

  // The innermost mark under the caret; -1 for none.
  markAt(box) {
    return this.spans.findLastIndex((one) => one.side === box.side && one.start <= box.caret
      && box.caret <= Math.max(one.end - 1, one.start));
  }

  mark() {
    const { box } = this;
    const own = this.spans.filter((one) => one.side === box.side);
    const free = box.range && freePart(...box.range, own);
    if (!free) return;
    const missing = box.side === "source" ? this.gap : null;
    this.add({ start: free[0], end: free[1], side: box.side, category: this.only ?? missing });
  }

  // The kind, where there is no choice; null where one has to be chosen.
  get only() { return this.kinds.length ? null : this.root.dataset.noCategory; }

  markMissing() {
    const box = this.boxes.find((one) => one.side === "target");
    this.add({ start: box.caret, end: box.caret, side: "target", category: this.only ?? this.gap });
  }

  add(mark) {
    if (this.root.disabled) return;
    const added = { severity: null, ...mark };
    const order = (one) => this.boxes.findIndex((box) => box.side === one.side);
    const spans = [...this.spans, added].sort(
      (a, b) => order(a) - order(b) || a.start - b.start || a.end - b.end);
    this.boxOf(added).rest(added.end);
    this.put(spans);
    this.focusRow(spans.indexOf(added));
  }

  remove(at) {
    const box = this.boxOf(this.spans[at]);
    const focused = this.list.contains(document.activeElement);
    this.put(this.spans.filter((_, index) => index !== at));
    if (focused) box.focus();
  }

  put(spans) {
    if (spans.length && spans.every(isComplete)) this.give(String(spans.length), { spans });
    else if (spans.length || this.proposed.length) this.give(null, { unfinished: spans });
    else this.give(null);
  }

  // A mark that somebody changes is decided on.
  change(at, part) {
    this.put(this.spans.map((one, index) => index === at ? decided({ ...one, ...part }) : one));
  }

  // The same by a key: a mark that becomes complete leads back to the text.
  changeByKey(at, part) {
    const wasOpen = !isComplete(this.spans[at]);
    this.opened = null;
    this.change(at, part);
    const mark = this.spans[at];
    if (wasOpen && isComplete(mark)) this.boxOf(mark).focus(); else this.focusRow(at);
  }

  focusRow(at) { this.list.children[at].querySelector("input").focus(); }

  begin() {
    const open = this.spans.findIndex((one) => !isComplete(one));
    if (open >= 0) this.focusRow(open); else this.box.focus();
  }

  rowWithFocus() {
    return [...this.list.children].indexOf(document.activeElement.closest(".marked > li"));
  }

  typedInRow(event) {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.rowWithFocus(), mark = this.spans[at];
    if (!mark || this.root.disabled || event.target.matches("button") && event.key === "Enter") return;
    if (event.key === "Enter" && mark.undecided) this.changeByKey(at, {});
    else if (event.key === "Enter" && isComplete(mark)) this.boxOf(mark).focus();
    else if (event.key === "Escape" && this.opened) { this.opened = null; this.drawKeys(); }
    else if (event.key === "Escape") this.boxOf(mark).focus();
    else if (event.key === "Delete" || event.key === "Backspace") this.remove(at);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  press(key) {
    const at = this.rowWithFocus();
    if (at < 0) {
      if (key !== "0" || this.spans.length) return false;
      this.give("0", { spans: [] });
      return true;
    }
    const severity = [...this.list.children[at].querySelectorAll("input")].find((one) => one.dataset.key === key);
    if (severity) {
      this.changeByKey(at, { severity: severity.value });
      return true;
    }
    const kind = this.opened?.kinds.find((one) => one.key === key);
    const group = this.opened ? null : this.groups.find((one) => one.key === key);
    if (kind || group?.kinds.length === 1) {
      this.changeByKey(at, { category: (kind ?? group.kinds[0]).value });
    } else if (group) {
      this.opened = group;
      this.drawKeys();
    } else {
      return false;
    }
    return true;
  }

  draw() {
    for (const box of this.boxes) box.draw();
    this.drawList();
    const open = this.spans.filter((one) => !isComplete(one)).length;
    const { value } = this.answer;
    this.count.textContent = open ? tr("Marked errors: {count}, not complete: {open}", { count: this.spans.length, open })
      : value === null ? "" : tr("Marked errors: {count}", { count: value });
    this.count.classList.toggle("lacking", open > 0);
    this.none.disabled = this.spans.length > 0;
    this.none.setAttribute("aria-pressed", String(value === "0"));
    this.acceptAll.hidden = !this.spans.some((one) => one.undecided);
  }

  drawTools() {
    this.button.disabled = !this.box?.range;
    [...this.list.children].forEach((row, at) => {
      const mark = this.spans[at];
      row.querySelector(".move").disabled = !mark || !this.boxOf(mark).range;
    });
  }

  // Which keys now choose a kind, in the row that has the focus.
  drawKeys() {
    const shown = this.opened ? this.opened.kinds : this.groups;
    this.keys.replaceChildren(...shown.flatMap(({ key, label }) => {
      const sign = document.createElement("kbd"), word = document.createElement("span");
      sign.textContent = key;
      word.textContent = label;
      return [sign, word];
    }));
  }

  drawList() {
    const at = this.rowWithFocus();
    const control = document.activeElement.dataset?.control;
    const { value } = document.activeElement;
    this.list.replaceChildren(...this.spans.map((span, index) => this.listRow(span, index)));
    this.drawKeys();
    this.drawTools();
    const row = at >= 0 && this.list.children[Math.min(at, this.list.children.length - 1)];
    if (!row) return;
    const same = [...row.querySelectorAll(`[data-control="${control}"]`)];
    (same.find((one) => one.value === value) ?? same[0] ?? row.querySelector("input"))?.focus();
  }

  listRow(span, at) {
    const row = this.row.content.firstElementChild.cloneNode(true);
    const number = { number: at + 1 };
    const box = this.boxOf(span);
    row.querySelector("q").textContent = span.start === span.end ? tr("(missing)") : box.text(span);
    row.querySelector("q").lang = box.root.lang;
    row.querySelector(".in-source").hidden = span.side !== "source";
    row.querySelector(".is-proposed").hidden = !span.undecided;
    row.querySelector(".lacking").textContent = !span.severity ? tr("Choose a severity")
      : !span.category ? tr("Choose a kind") : span.undecided ? tr("Accept, change or remove") : "";
    row.querySelector(".severity").setAttribute("aria-label", tr("Severity of error {number}", number));
    for (const input of row.querySelectorAll("input")) {
      input.name = `${this.root.id}-${at}`;
      input.checked = input.value === span.severity;
      input.addEventListener("change", () => this.change(at, { severity: input.value }));
    }
    this.drawKind(row, span, at);
    for (const [name, words, act] of [
      [".accept", tr("Accept error {number}", number), () => this.change(at, {})],
      [".move", tr("Set error {number} to the selection", number), () => this.moveMark(at)],
      [".remove", tr("Remove error {number}", number), () => this.remove(at)],
    ]) {
      const button = row.querySelector(name);
      button.setAttribute("aria-label", words);
      button.addEventListener("click", act);
    }
    row.querySelector(".accept").hidden = !span.undecided;
    return row;
  }

  drawKind(row, span, at) {
    const category = row.querySelector(".category");
    if (!category) return;
    category.setAttribute("aria-label", tr("Kind of error {number}", { number: at + 1 }));
    for (const option of category.querySelectorAll("option[data-key]")) {
      option.hidden = option.disabled = span.start === span.end && !("missing" in option.dataset);
    }
    category.value = span.category ?? "";
    category.addEventListener("change", () => this.change(at, { category: category.value || null }));
    const kind = this.kinds.find((one) => one.value === span.category);
    row.querySelector(".kind-hint").textContent = kind?.hint ?? "";
  }

  // What is selected becomes the place of the mark.
  moveMark(at) {
    const box = this.boxOf(this.spans[at]);
    if (!box.range) return;
    const [start, end] = box.range;
    box.rest(end);
    this.change(at, { start, end });
  }
};

function isComplete(mark) { return Boolean(mark.severity && mark.category && !mark.undecided); }

function decided({ undecided, ...mark }) { return mark; }
