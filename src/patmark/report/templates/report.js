// The start of the explorer; then the page is as long as it will be, and can be scrolled.

const embedded = document.querySelector("#data");
if (embedded) {
  new SegmentExplorer(JSON.parse(embedded.textContent), document.querySelector("#segments"));
}
reveal(location.hash);
