// Keys of the judging page. Tab is never touched, nor any key while a character is composed.

import { tr } from "./words.js";

const TYPING = "input:not([type=radio], [type=checkbox], [type=range]), textarea, select";
const ARROWS = { ArrowDown: 1, ArrowUp: -1 };

export function keyboard(widgets, page) {
  const help = document.querySelector("#help");
  let current = Math.max(widgets.findIndex((one) => one.required && !one.settled), 0);

  // The button that closes it stands last and gets the focus; the keys are read from the first.
  function showHelp() {
    help.showModal();
    help.scrollTop = 0;
  }

  function go(at) {
    if (at < 0 || at >= widgets.length) return false;
    reach(at);
    widgets[at].root.focus({ preventScroll: true });
    const around = widgets[at].root.closest(".candidate") ?? widgets[at].root;
    const quiet = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const fits = around.offsetHeight < innerHeight * 0.6;
    (fits ? around : widgets[at].root).scrollIntoView(
      { block: "nearest", behavior: quiet ? "instant" : "smooth" });
    return true;
  }

  function reach(at) {
    if (at !== current) widgets[current]?.left();
    current = at;
    widgets.forEach((one, place) => one.root.classList.toggle("now", place === at));
  }

  // The next open question behind the current one, else from the beginning; -1 for none.
  function nextOpen() {
    const order = [...widgets.keys()];
    const behind = [...order.slice(current + 1), ...order.slice(0, current + 1)];
    return behind.find((at) => widgets[at].required && !widgets[at].settled) ?? -1;
  }

  function enter() {
    const here = widgets[current];
    const open = page.state.locked ? -1 : here.required && !here.settled ? current : nextOpen();
    if (open < 0) return page.next();
    const count = widgets.filter((one) => one.required && !one.settled).length;
    page.tell(tr("Answers still open on this page: {count}", { count }));
    go(open);
    widgets[open].begin();
  }

  function open(details, field) {
    details.open = true;
    details.querySelector(field).focus();
  }

  function leave(field) {
    const around = field.closest(".question") ?? field.closest("details")?.querySelector("summary");
    around?.focus();
  }

  const commands = {
    j: () => go(current + 1),
    k: () => go(current - 1),
    u: () => page.undo(),
    p: () => page.previous?.click(),
    c: () => open(document.querySelector("#remark"), "textarea"),
    d: () => {
      const context = document.querySelector("#context");
      if (context) context.open = !context.open;
    },
    x: () => {
      if (!widgets[current].root.disabled) open(widgets[current].root.querySelector(".cannot details"), "input");
    },
    "?": showHelp,
  };

  function pressed(event) {
    if (event.isComposing || event.keyCode === 229 || help.open) return false;
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const { key, target } = event;
    if (page.held()) return (key.length === 1 || key === "Enter") && !target.closest("a, button");
    const typing = target.closest(TYPING);
    if (typing) {
      if (key === "Escape") leave(typing);
      if (typing.type !== "number" || !(key === "Enter" || key in commands)) return false;
      typing.blur();
    }
    if (key === "Enter") {
      if (target.closest("a, button, summary")) return false;
      enter();
      return true;
    }
    if (key in ARROWS && !typing && !["radio", "range"].includes(target.type)) {
      return go(current + ARROWS[key]);
    }
    const widget = widgets[current];
    if (widget && !widget.root.disabled && widget.press(key)) {
      const open = nextOpen();
      if (widget.advances && widget.settled) go(open < 0 ? current + 1 : open);
      return true;
    }
    if (!(key in commands)) return false;
    commands[key]();
    return true;
  }

  document.addEventListener("keydown", (event) => { if (pressed(event)) event.preventDefault(); });
  document.addEventListener("focusin", (event) => {
    const at = widgets.findIndex((one) => one.root.contains(event.target));
    if (at >= 0 && at !== current) reach(at);
  });
  document.querySelector("#show-help").addEventListener("click", showHelp);
  reach(current);
}
