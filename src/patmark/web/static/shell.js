// What every page can do: switch colours, and come back fresh from the memory of the browser.

const root = document.documentElement;

document.querySelector("#theme").addEventListener("click", () => {
  const dark = root.dataset.theme
    ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  try { localStorage.setItem("patmark-theme", root.dataset.theme); } catch { /* not remembered */ }
});

// A table that goes on to the side says so.
for (const box of document.querySelectorAll(".scroll")) {
  const sign = document.createElement("p");
  sign.className = "sideways";
  sign.ariaHidden = "true";
  sign.textContent = "→";
  box.before(sign);
  const draw = () => {
    const more = box.scrollWidth - box.clientWidth - box.scrollLeft > 1;
    box.classList.toggle("more-right", more);
    sign.hidden = !more;
  };
  box.addEventListener("scroll", draw, { passive: true });
  new ResizeObserver(draw).observe(box);
}

addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

// Tabs that are one long row begin with the one that is open.
const tabs = document.querySelector(".masthead nav");
const tab = tabs?.querySelector("[aria-current]");
if (tab) tabs.scrollLeft = tab.offsetLeft - tabs.offsetLeft;
