// The page itself: colours, copying, and the start of the explorer.

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
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
}

const embedded = document.querySelector("#data");
if (embedded) {
  new SegmentExplorer(JSON.parse(embedded.textContent), document.querySelector("#segments"));
}
