// Marking errors in texts, exact to the character: by mouse, finger or keyboard. Places count
// characters (code points), so that they mean the same everywhere; marks may overlap. A mark is
// complete when its severity and its kind are chosen and, if it was proposed, it is decided on.

import { tr } from "./words.js";

const NEAR = 250;              // pixels from a mark to its row

// Characters of the text of `root` before a place of the document.
function charactersBefore(root, node, offset) {
  const range = document.createRange();
  range.setStart(root, 0);
  range.setEnd(node, offset);
  return Array.from(range.toString()).length;
}

// The node, and the offset in it, of a place that counts characters.
function nodeAt(root, place, characters) {
  let left = characters.slice(0, place).join("").length;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); left -= node.length) if (left <= node.length) return [node, left];
  return [root, root.childNodes.length];
}

// The words of a text, each from its first character to behind its last.
function wordsOf(text, lang) {
  let at = 0;
  const parts = [...new Intl.Segmenter(lang || undefined, { granularity: "word" }).segment(text)];
  return parts.map(({ segment, isWordLike }) => [at, at += Array.from(segment).length, isWordLike])
    .filter(([, , isWord]) => isWord);
}

// Blanks to the next tab stop, so that the columns of a table stand below each other.
function tabSizeOf(text) {
  const cells = text.split("\n").flatMap((line) => line.split("\t").slice(0, -1));
  const width = (cell) => Array.from(cell).reduce((sum, one) => sum + (one > "\u2e80" ? 2 : 1), 0);
  return 2 + Math.max(...cells.map(width), 0);
}

// One text that can be marked: its caret, its selection, and its marks as they are shown. A selection
// is drawn, or clicked at its first and its last word, or made with Shift and arrow keys.
class MarkingBox {
  constructor(root, widget) {
    this.root = root;
    this.widget = widget;
    this.side = root.dataset.side;
    this.characters = Array.from(root.textContent);
    this.words = wordsOf(root.textContent, root.lang);
    root.style.tabSize = tabSizeOf(root.textContent);
    this.caret = 0;
    this.anchor = null;
    this.begun = null;           // the word that was clicked first
    this.pressed = null;         // mouse, pen or touch, while it is down
    this.quiet = false;          // no tools at the caret: it stands behind a new mark
    root.addEventListener("keydown", (event) => this.typed(event));
    // A text that is drawn anew under a pressed button would lose the selection that begins.
    // Tools that come up under the pointer would take its selection, or cover the next word.
    root.addEventListener("pointerdown", (event) => {
      this.pressed = event.pointerType;
      if (this.isDragging) widget.bar.hidden = true;
    });
    root.addEventListener("pointermove", (event) => this.hovered(event));
    document.addEventListener("pointerup", (event) => { if (this.pressed) this.released(event); });
    document.addEventListener("pointercancel", () => { this.pressed = null; });
    root.addEventListener("focus", () => { widget.box = this; if (!this.pressed) this.draw(); });
    root.addEventListener("blur", () => { this.begun = null; this.draw(); });
    root.addEventListener("scroll", () => widget.drawBar(), { passive: true });
    document.addEventListener("selectionchange", () => this.selected());
  }

  get range() {
    return this.anchor === null || this.anchor === this.caret
      ? null : [Math.min(this.anchor, this.caret), Math.max(this.anchor, this.caret)];
  }

  // A finger selects by handles of its own, which need no free way.
  get isDragging() { return this.pressed !== null && this.pressed !== "touch"; }

  text(mark) { return this.characters.slice(mark.start, mark.end).join(""); }

  focus() { this.root.focus(); }

  // Take over what is selected with mouse or finger.
  selected() {
    const selection = document.getSelection();
    if (!selection.rangeCount || this.widget.root.disabled) return;
    const { anchorNode, anchorOffset, focusNode, focusOffset, isCollapsed } = selection;
    if (!this.root.contains(anchorNode) || !this.root.contains(focusNode)) return;
    if (isCollapsed && !this.native) return;
    this.caret = charactersBefore(this.root, focusNode, focusOffset);
    this.anchor = isCollapsed ? null : charactersBefore(this.root, anchorNode, anchorOffset);
    this.native = !isCollapsed;
    this.begun = null;
    this.widget.box = this;
    this.widget.float(null);
    this.widget.drawTools();
  }

  // The end of a selection, which a finger may still change; or a click: at the first word of an
  // error, then at its last.
  released(event) {
    this.pressed = null;
    if (this.widget.root.disabled || event.button) return;
    const { anchorNode, anchorOffset, focusNode, focusOffset, isCollapsed } = document.getSelection();
    if (!isCollapsed && this.root.contains(anchorNode)) {
      if (event.pointerType === "touch") return this.selected();
      const anchor = charactersBefore(this.root, anchorNode, anchorOffset);
      this.rest(this.root.contains(focusNode) ? charactersBefore(this.root, focusNode, focusOffset)
        : this.placeAt(this.nearest(event)));
      this.anchor = anchor;
      this.widget.float(null);
    } else if (this.root.contains(event.target)) {
      const word = this.wordAt(this.characterAt(event)), first = this.begun;
      this.rest(this.placeAt(event));
      if (!first) this.begun = word;
      else if (first[0] !== word[0]) [this.anchor, this.caret] = [Math.min(first[0], word[0]), Math.max(first[1], word[1])];
    }
    this.focus();
    this.draw();
  }

  hovered(event) {
    if (!this.begun || this.pressed || event.pointerType === "touch") return;
    const word = this.wordAt(this.characterAt(event));
    if (word[0] === this.over?.[0]) return;
    this.over = word;
    this.draw();
  }

  // The point of the box that is nearest to one beside it.
  nearest({ clientX, clientY }) {
    const { left, right, top, bottom } = this.root.getBoundingClientRect(), within = 4;
    return {
      clientX: Math.min(Math.max(clientX, left + within), right - within),
      clientY: Math.min(Math.max(clientY, top + within), Math.min(bottom, bottomOfPage()) - within),
    };
  }

  // The place between characters that is nearest to a point of the screen; null outside the text.
  placeAt({ clientX, clientY }) {
    const found = document.caretPositionFromPoint?.(clientX, clientY) ?? document.caretRangeFromPoint?.(clientX, clientY);
    const node = found?.offsetNode ?? found?.startContainer;
    return node && this.root.contains(node) ? charactersBefore(this.root, node, found.offset ?? found.startOffset) : null;
  }

  // The character under a point.
  characterAt(event) {
    const at = this.placeAt(event) ?? 0;
    const box = at && this.boxAt(at - 1, at);
    const before = box && box.left <= event.clientX && event.clientX < box.right && box.top <= event.clientY && event.clientY < box.bottom;
    return before ? at - 1 : Math.min(at, this.characters.length - 1);
  }

  // Where some characters stand on the screen: the last line of them.
  boxAt(start, end) {
    const range = document.createRange();
    range.setStart(...nodeAt(this.root, start, this.characters));
    range.setEnd(...nodeAt(this.root, end, this.characters));
    return [...range.getClientRects()].at(-1) ?? this.root.getBoundingClientRect();
  }

  // The word with a character; where no blanks tell words apart, the character alone.
  wordAt(at) {
    const word = /^(zh|ja)/.test(this.root.lang) ? null : this.words.find(([start, end]) => start <= at && at < end);
    return word ?? [at, at + 1];
  }

  typed(event) {
    if (event.isComposing || event.metaKey) return;
    const { key } = event, byWord = event.ctrlKey || event.altKey;
    const { caret } = this, end = this.characters.length;
    const moves = byWord ? {
      ArrowLeft: () => this.words.findLast(([start]) => start < caret)?.[0] ?? 0,
      ArrowRight: () => this.words.find(([start]) => start > caret)?.[0] ?? end,
    } : {
      ArrowLeft: () => caret - 1, ArrowRight: () => caret + 1,
      ArrowUp: () => this.line(-1) ?? 0, ArrowDown: () => this.line(1) ?? end,
    };
    Object.assign(moves, { Home: () => 0, End: () => end });
    const under = this.widget.markAt(this);
    if (key in moves) this.move(moves[key](), event.shiftKey);
    else if (byWord) return;
    else if (key === "Enter" && this.range) this.widget.mark();
    else if (key === "Enter" && under >= 0) this.widget.focusRow(under);
    else if (key === "Escape" && (this.range || this.begun)) { this.rest(caret); this.draw(); }
    else if ((key === "Delete" || key === "Backspace") && under >= 0) this.widget.remove(under);
    else if (!["Delete", "Backspace"].includes(key)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  // The place one line above or below the caret; null where there is none.
  line(step) {
    const height = step * parseFloat(getComputedStyle(this.root).lineHeight);
    const { top, bottom } = this.root.getBoundingClientRect();
    const target = () => (this.caretBox.top + this.caretBox.bottom) / 2 + height;
    const inside = (y) => top < y && y < bottom;
    if (!inside(target())) this.root.scrollTop += height;
    if (!inside(target())) return null;
    const at = this.placeAt({ clientX: this.caretBox.left + 1, clientY: target() });
    return at === this.caret ? null : at;
  }

  get caretBox() { return this.root.querySelector(".caret").getClientRects()[0]; }

  // Scroll so far that the caret is seen, in its box and on the page.
  reveal() {
    const { top, bottom } = this.root.getBoundingClientRect();
    this.root.scrollTop += outside(this.caretBox, top, bottom);
    scrollBy(0, outside(this.caretBox, topOfPage(), bottomOfPage()));
  }

  move(to, selecting) {
    const { caret, anchor } = this;
    this.rest(Math.max(0, Math.min(to, this.characters.length)));
    if (selecting) this.anchor = anchor ?? caret;
    const range = this.range;
    this.widget.spoken.textContent = tr("Character {at} of {total}: {text}", {
      at: this.caret + 1, total: this.characters.length,
      text: range ? this.characters.slice(...range).join("") : this.characters[this.caret] ?? "",
    });
    this.draw();
    this.reveal();
    this.widget.drawBar();
  }

  // The caret stands at a place, and nothing is selected.
  rest(at) {
    this.anchor = this.begun = this.over = null;
    this.caret = at ?? this.caret;
    this.native = this.quiet = false;
    document.getSelection().removeAllRanges();
  }

  // The text in pieces: cut where a mark, the selection or the caret begins or ends.
  draw() {
    const focused = document.activeElement === this.root;
    if (focused && this.native) return;
    const range = focused ? this.range ?? this.begunRange() : null;
    const marks = this.widget.spans.map((one, number) => ({ ...one, number }))
      .filter((one) => one.side === this.side)
      .sort((a, b) => (a.end - a.start) - (b.end - b.start));
    const cuts = new Set([0, this.characters.length, ...marks.flatMap((one) => [one.start, one.end])]);
    if (range) range.forEach((at) => cuts.add(at));
    if (focused) cuts.add(this.caret);
    const places = [...cuts].sort((a, b) => a - b);
    const { scrollTop } = this.root;
    this.root.replaceChildren();
    places.forEach((start, index) => {
      for (const one of marks) {
        if (one.start === one.end && one.start === start) this.root.append(this.drawn(one, "", true));
      }
      const end = places[index + 1];
      let piece = document.createElement("span");
      if (focused && start === this.caret) piece.className = "caret";
      piece.textContent = this.characters.slice(start, end).join("");
      if (range && range[0] <= start && end <= range[1]) piece.classList.add("selected");
      // Of marks that overlap, the longest stands around the others.
      for (const one of marks) {
        if (one.start <= start && start < one.end) piece = this.drawn(one, piece, end === one.end);
      }
      this.root.append(piece);
    });
    this.root.scrollTop = scrollTop;
    this.widget.drawTools();
  }

  // The words from the one that was clicked to the one under the pointer.
  begunRange() {
    const { begun, over } = this;
    return begun && [Math.min(begun[0], over?.[0] ?? begun[0]), Math.max(begun[1], over?.[1] ?? begun[1])];
  }

  drawn(span, content, last) {
    const mark = document.createElement("mark");
    const level = this.widget.severities.indexOf(span.severity);
    mark.className = `error ${level < 0 ? "level-open" : `level-${level}`}`;
    mark.append(content);
    if (last) mark.dataset.number = span.number + 1;
    if (span.start === span.end) mark.classList.add("gap");
    if (span.undecided) mark.classList.add("undecided");
    return mark;
  }
}

// Between these heights nothing covers the page.
function topOfPage() { return document.querySelector(".given-texts")?.offsetHeight ?? 0; }

function bottomOfPage() { return document.querySelector(".bottom").getBoundingClientRect().top; }

// How far something must be scrolled to be seen between two heights.
function outside(box, top, bottom) {
  return box.top < top ? box.top - top - 8 : box.bottom > bottom ? box.bottom - bottom + 8 : 0;
}

export const SpansWidget = (Widget) => class extends Widget {
  constructor(root, changed) {
    super(root, changed);
    this.advances = false;
    this.list = root.querySelector(".marked");
    this.bar = root.querySelector(".mark-bar");
    this.floating = null;        // the number of the mark whose row stands at its text
    this.keys = root.querySelector(".kind-keys");
    this.row = root.querySelector(".mark-row");
    this.count = root.querySelector("output");
    this.spoken = root.querySelector("[data-caret]");
    this.button = root.querySelector(".mark-selection");
    this.none = root.querySelector(".mark-none");
    this.acceptAll = root.querySelector(".accept-all");
    this.missing = root.querySelector(".mark-missing");
    this.levels = [...this.row.content.querySelectorAll(".severity .choice")].map((choice) => {
      const { value, dataset } = choice.querySelector("input");
      return { value, key: dataset.key, label: choice.querySelector(".words").textContent };
    });
    this.severities = this.levels.map((one) => one.value);
    this.readKinds();
    this.proposed = JSON.parse(root.dataset.proposed)
      .map((mark, proposal) => ({ side: "target", ...mark, proposal, undecided: true }));
    this.boxes = [...root.querySelectorAll(".marking")].map((box) => new MarkingBox(box, this));
    this.box = this.boxes.at(-1);
    for (const one of [this.bar, this.missing]) {
      one.addEventListener("pointerdown", (event) => event.preventDefault());
    }
    // The row goes back when something else has the focus, but moves nothing under a pressed finger.
    let isDown = false;
    const settle = () => {
      if (this.floating === null || isDown || this.drawing) return;
      if (!this.list.contains(document.activeElement) && document.activeElement !== root) this.float(null);
    };
    document.addEventListener("pointerdown", () => { isDown = true; }, { capture: true });
    for (const name of ["pointerup", "pointercancel"]) {
      document.addEventListener(name, () => { isDown = false; setTimeout(settle); });
    }
    document.addEventListener("focusin", settle);
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

  // The marks under the caret, the shortest first.
  marksAt(box) {
    const length = (at) => this.spans[at].end - this.spans[at].start;
    return [...this.spans.keys()].filter((at) => {
      const { side, start, end } = this.spans[at];
      return side === box.side && start <= box.caret && box.caret <= Math.max(end - 1, start);
    }).sort((a, b) => length(a) - length(b) || b - a);
  }

  markAt(box) { return this.marksAt(box)[0] ?? -1; }

  mark(severity = null) {
    const { box } = this;
    if (!box.range) return;
    const [start, end] = box.range;
    const missing = box.side === "source" ? this.gap : null;
    this.add({ start, end, side: box.side, severity, category: this.only ?? missing });
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
    const box = this.boxOf(added);
    box.rest(added.end);
    box.quiet = true;
    this.put(spans);
    if (isComplete(added)) box.focus(); else this.focusRow(spans.indexOf(added));
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

  // A mark that somebody changes is decided on. One that becomes complete leads back to its text.
  change(at, part) {
    const wasOpen = !isComplete(this.spans[at]);
    this.put(this.spans.map((one, index) => index === at ? decided({ ...one, ...part }) : one));
    const mark = this.spans[at];
    if (this.floating === at && wasOpen && isComplete(mark)) this.boxOf(mark).focus();
  }

  changeByKey(at, part) {
    this.opened = null;
    this.floating = at;
    this.change(at, part);
    if (this.floating === at) this.focusRow(at);
  }

  // Go to the row of a mark, which comes to the text.
  focusRow(at) {
    this.float(at);
    const row = this.list.children[at];
    (row.querySelector("input:checked") ?? row.querySelector("input")).focus({ preventScroll: true });
  }

  // Let the row of a mark, with the keys of its kinds, stand at its place, unless its list is near
  // and fits on the screen with the texts; null puts it back.
  float(at) {
    this.floating = at;
    for (const row of this.list.children) row.classList.remove("floating");
    this.list.before(this.keys);
    if (at === null) return;
    this.bar.hidden = true;
    const box = this.boxOf(this.spans[at]), row = this.list.children[at];
    const drawn = box.root.querySelector(`[data-number="${at + 1}"]`);
    drawn.scrollIntoView({ block: "nearest" });
    const place = [...drawn.getClientRects()].at(-1);
    const { top } = this.root.querySelector(".marking-sides").getBoundingClientRect();
    const own = row.getBoundingClientRect();
    if (own.bottom - top < bottomOfPage() - topOfPage() && own.top - place.bottom < NEAR) {
      return row.scrollIntoView({ block: "nearest" });
    }
    row.classList.add("floating");
    row.append(this.keys);
    this.placeBeside(row, box, place);
  }

  // Put something below a place of a text, or above it where there is no room; inside the question.
  placeBeside(element, box, place) {
    const room = box.root.getBoundingClientRect(), around = this.root.getBoundingClientRect();
    const [top, bottom] = [place.top, place.bottom].map((y) => Math.min(Math.max(y, room.top), room.bottom));
    const height = element.offsetHeight + 8;
    const above = bottom + height > bottomOfPage() && top > height;
    element.style.top = `${(above ? top - height : bottom + 8) - around.top}px`;
    element.style.left = `${Math.max(0, Math.min(place.left - around.left, around.width - element.offsetWidth))}px`;
  }

  // What can be done with the selection or at the caret, beside it.
  drawBar() {
    const { box, bar } = this;
    const { range } = box, under = document.activeElement === box.root && !box.quiet ? this.marksAt(box) : [];
    bar.hidden = this.root.disabled || box.isDragging || this.floating !== null || !(range || box.begun || under.length);
    if (bar.hidden) return;
    const button = (key, words, act) => {
      const made = document.createElement("button"), sign = document.createElement("kbd");
      made.type = "button";
      sign.textContent = key;
      made.append(...(key ? [sign, words] : [words]));
      made.addEventListener("click", act);
      return made;
    };
    const choices = range ? this.levels.map(({ value, key, label }) => button(key, label, () => this.mark(value)))
      : under.map((at) => button("", tr("Error {number}", { number: at + 1 }), () => this.focusRow(at)));
    if (!range && box.side === "target" && !this.missing.hidden) {
      choices.push(button("", tr("Missing here"), () => this.markMissing()));
    }
    this.button.hidden = !range;
    bar.lastElementChild.replaceChildren(box.begun ? tr("Click the last word of the error") : "", ...choices);
    this.placeBeside(bar, box, box.boxAt(...range ?? [box.caret, box.caret]));
  }

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
      const level = this.box.range && this.levels.find((one) => one.key === key);
      if (level) {
        this.mark(level.value);
        return true;
      }
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
    if (!this.box) return;
    this.drawBar();
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
    const { floating } = this;
    this.drawing = true;
    this.list.replaceChildren(...this.spans.map((span, index) => this.listRow(span, index)));
    this.drawing = false;
    this.drawKeys();
    this.float(floating !== null && floating < this.spans.length && at >= 0 ? floating : null);
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
