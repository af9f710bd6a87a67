// What every page can do: say texts in its language, make elements, switch colours, copy texts, say where tables go on.

const translations = JSON.parse(document.querySelector("#words")?.textContent ?? "{}");

function tr(text, values = {}) {
  return (translations[text] ?? text).replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

function element(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name in node) node[name] = value; else node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

// Data that the page carries: as JSON, or packed where they are large.
async function carried(id) {
  const holder = document.getElementById(id);
  if (holder.type === "application/json") return JSON.parse(holder.textContent);
  const packed = Uint8Array.from(atob(holder.textContent), (letter) => letter.charCodeAt(0));
  const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(plain).json();
}

// Make a part of the page from its data. Where that fails, the reason stands behind `place`, and the rest is made.
async function made(id, place, make) {
  try {
    make(await carried(id));
  } catch (error) {
    place.after(element("p", { className: "note", role: "alert" },
      tr("This part cannot be shown: the browser is too old, or the page is damaged ({reason}).", { reason: error.message })));
  }
}

const root = document.documentElement;

document.querySelector("#theme").addEventListener("click", () => {
  const dark = root.dataset.theme
    ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  try { localStorage.setItem("patmark-theme", root.dataset.theme); } catch { /* not remembered */ }
});

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = element("textarea", { value: text });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    await copyText(document.querySelector(button.dataset.copy).textContent);
    button.textContent = tr("Copied");
    setTimeout(() => { button.textContent = tr("Copy"); }, 1500);
  });
}

// A table wider than its frame says so, and has a shadow on each side where it goes on.
for (const frame of document.querySelectorAll(".scroll")) {
  const hint = element("p", { className: "sideways", hidden: true }, tr("scroll sideways for more ⇄"));
  hint.setAttribute("aria-hidden", "true");
  frame.before(hint);
  const look = () => {
    const hidden = frame.scrollWidth - frame.clientWidth;
    hint.hidden = hidden <= 1;
    frame.classList.toggle("more-left", frame.scrollLeft > 1);
    frame.classList.toggle("more-right", hidden - frame.scrollLeft > 1);
  };
  frame.addEventListener("scroll", look, { passive: true });
  new ResizeObserver(look).observe(frame);
}
