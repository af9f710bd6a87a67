// The start of the explorer and of long tables; then the page is as long as it will be, and can be scrolled.

async function start() {
  const segments = document.querySelector("#segments");
  if (segments) await made("data", segments.querySelector("h2"), (data) => new SegmentExplorer(data, segments));
  reveal(location.hash);
  for (const note of document.querySelectorAll("[data-rows]")) {
    await made(note.dataset.rows, note, (columns) => new LongTable(note, columns));
  }
}
start();
