// The start of the explorer and of long tables; then the page is as long as it will be, and can be scrolled.

async function start() {
  const data = await carried("data");
  if (data) new SegmentExplorer(data, document.querySelector("#segments"));
  reveal(location.hash);
  for (const note of document.querySelectorAll("[data-rows]")) {
    new LongTable(note, await carried(note.dataset.rows));
  }
}
start();
