// Folded sections: open the one that an address leads to, and all of them for the printer.

function reveal(hash) {
  const target = document.getElementById(hash.slice(1));
  if (!target) return;
  for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) {
    fold.open = true;
  }
  target.scrollIntoView();
}

document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#"]');
  if (!link || link.hash.includes("=")) return;
  const menu = link.closest(".menu");
  if (menu) menu.open = false;
  reveal(link.hash);
});
addEventListener("hashchange", () => reveal(location.hash));

let unfolded = [];
addEventListener("beforeprint", () => {
  unfolded = [...document.querySelectorAll("main details:not([open])")];
  for (const fold of unfolded) fold.open = true;
});
addEventListener("afterprint", () => {
  for (const fold of unfolded) fold.open = false;
});
