// Texts with marks: what differs from the reference, what a check found, what was searched for.

// Findings count characters as Python does; a browser counts UTF-16 units.
function unitOffsets(text, offsets) {
  if (!/[\ud800-\udbff]/.test(text)) return offsets.map((offset) => Math.min(offset, text.length));
  const found = new Map(), wanted = [...new Set(offsets)].sort((a, b) => a - b);
  let unit = 0, point = 0;
  for (const offset of wanted) {
    while (point < offset && unit < text.length) {
      unit += text.codePointAt(unit) > 0xffff ? 2 : 1;
      point++;
    }
    found.set(offset, unit);
  }
  return offsets.map((offset) => found.get(offset));
}

function findingSpans(text, findings) {
  const units = unitOffsets(text, findings.flatMap((finding) => [finding.start, finding.end]));
  return findings.map((finding, index) => ({
    kind: "finding", start: units[2 * index], end: units[2 * index + 1], finding,
  })).filter((span) => span.start < span.end);
}

// Errors look as bad as they are; 0 is the worst.
const findingClass = (level) => `finding level-${level}`;

function hitSpans(text, needle) {
  const spans = [], lower = needle ? text.toLowerCase() : "";
  if (!needle || lower.length !== text.length) return spans;
  for (let at = lower.indexOf(needle); at >= 0; at = lower.indexOf(needle, at + needle.length)) {
    spans.push({ kind: "hit", start: at, end: at + needle.length });
  }
  return spans;
}

// Text from start to end with its spans; every piece between two borders is marked on its own.
function markedPieces(text, start, end, spans) {
  const inside = spans.filter((span) => span.start < end && span.end > start);
  if (!inside.length) return [document.createTextNode(text.slice(start, end))];
  const borders = new Set([start, end]);
  for (const span of inside) {
    borders.add(Math.max(span.start, start));
    borders.add(Math.min(span.end, end));
  }
  const ordered = [...borders].sort((a, b) => a - b);
  return ordered.slice(1).map((to, index) => {
    const from = ordered[index], piece = text.slice(from, to);
    const over = inside.filter((span) => span.start <= from && span.end >= to);
    if (!over.length) return document.createTextNode(piece);
    const findings = over.filter((span) => span.kind === "finding").map((span) => span.finding);
    if (!findings.length) return element("mark", { className: "hit" }, piece);
    const title = [...new Set(findings.map((finding) => finding.title))].join("\n");
    const ids = findings.map((finding) => finding.number).join(" ");
    const className = findingClass(Math.min(...findings.map((finding) => finding.level)));
    return element("mark", { className, title, "data-findings": ids }, piece);
  });
}

// Fill `box` with the text. `runs` (see diffRuns) is null for plain text. Stops after `limit`
// characters and says whether anything was left out.
function paintText(box, { text, reference, runs, spans, limit }) {
  const nodes = [];
  let room = limit, last = "\n", cut = false;
  for (const run of runs ?? [{ kind: "same", start: 0, end: text.length }]) {
    cut = run.end - run.start > room;
    const from = run.kind === "del" ? reference : text;
    const end = cut ? safeCut(from, run.start + room) : run.end;
    const bare = run.start + from.slice(run.start, end).trimEnd().length;
    if (/\S/.test(last) && /\s/.test(from[run.start - 1] ?? "-")) nodes.push(" ");
    const show = (low, high) => (run.kind === "del"
      ? [from.slice(low, high)] : markedPieces(text, low, high, spans));
    const words = show(run.start, bare);
    if (run.kind === "same") nodes.push(...words);
    else if (bare > run.start) nodes.push(element(run.kind, {}, ...words));
    nodes.push(...show(bare, end));
    last = from[end - 1];
    room -= end - run.start;
    if (cut) break;
  }
  box.replaceChildren(...nodes, cut ? "…" : "");
  return cut;
}

// Never cut between the two halves of a character.
function safeCut(text, at) {
  const code = text.charCodeAt(at - 1);
  return at < text.length && code >= 0xd800 && code <= 0xdbff ? at + 1 : at;
}
