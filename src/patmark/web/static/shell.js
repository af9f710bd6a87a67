// What every page can do: switch colours, and come back fresh from the memory of the browser.

const root = document.documentElement;

document.querySelector("#theme").addEventListener("click", () => {
  const dark = root.dataset.theme
    ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  try { localStorage.setItem("patmark-theme", root.dataset.theme); } catch { /* not remembered */ }
});

addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
