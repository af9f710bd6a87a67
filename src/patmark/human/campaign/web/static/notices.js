// Lines above the page that tell what happened, and answers that were set aside until their
// evaluator decides: those that a later answer overtook, and those that came after the end.

import { tr } from "./words.js";

const notices = document.querySelector("#notices");

// One line for each name; `buttons` are their words and what they do.
export function notice(name, text, buttons = {}) {
  const old = find(name), content = [text, ...Object.keys(buttons)].join(" ");
  if (old?.dataset.content === content) return;
  const line = document.createElement("p");
  line.className = "notice";
  line.dataset.name = name;
  line.dataset.content = content;
  line.textContent = text;
  for (const [words, act] of Object.entries(buttons)) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = words;
    button.addEventListener("click", act);
    line.append(" ", button);
  }
  if (old) old.replaceWith(line); else notices.append(line);
}

export function withdraw(name) { find(name)?.remove(); }

function find(name) {
  return [...notices.children].find((line) => line.dataset.name === name);
}

export function showAside(queue, isOpen) {
  for (const line of notices.querySelectorAll("[data-name^='aside|']")) line.remove();
  for (const entry of queue.aside()) {
    const { where, shown, newer } = entry;
    const act = (wanted) => () => {
      if (wanted) queue.again(entry); else queue.drop(entry);
      showAside(queue, isOpen);
    };
    if (newer) {
      const later = newer.value ?? tr("empty");
      notice(`aside|${entry.place}`, tr("{where}: you answered {shown} without connection. Later {later} was answered on another device, and counts now.", { where, shown, later }), {
        [tr("Use {value}", { value: shown })]: act(true),
        [tr("Keep {value}", { value: later })]: act(false),
      });
    } else if (isOpen) {
      notice(`aside|${entry.place}`, tr("{where}: your answer {shown} came when the campaign was closed. It is open again.", { where, shown }), {
        [tr("Save it now")]: act(true), [tr("Discard it")]: act(false),
      });
    } else {
      notice(`aside|${entry.place}`, tr("{where}: the campaign is closed, and your answer {shown} was refused. It is kept on this device, and offered again if the campaign opens.", { where, shown }));
    }
  }
}
