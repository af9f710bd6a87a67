// Which runs a view shows, in which order, and the table of them as CSV.

const words = new Intl.Collator(undefined, { numeric: true });
const folded = (text) => text.normalize("NFKC").toLowerCase();

const states = ["with", "without", "unknown"];

// `view` has the fields q, kind, with, without, unknown, first (lists of values) and sort, down.
function selectRuns(data, view) {
  const needles = folded(view.q).split(/\s+/).filter(Boolean);
  const shown = data.runs.filter((run) =>
    (!view.kind.length || view.kind.includes(run.kind))
    && states.flatMap((state) => view[state])
      .every((letter) => view[stateOf(run, letter)].includes(letter))
    && (!view.first.length || run.priority === 1)
    && needles.every((needle) => run.searched.includes(needle)));
  const sign = view.down ? -1 : 1;
  const keys = new Map(shown.map((run) => [run, sortKey(run, view.sort)]));
  return shown.sort((a, b) => compareKeys(keys.get(a), keys.get(b), sign) || a.rank - b.rank);
}

// Whether a run used a resource; unknown is in doubt, or nothing said of resources at all.
function stateOf(run, letter) {
  if (run.resources === null || run.resources.includes(`${letter}?`)) return "unknown";
  return run.resources.includes(letter) ? "with" : "without";
}

function sortKey(run, sort) {
  if (sort === "resources") return run.resources === null ? null : run.resources.join(" ");
  return sort in run ? run[sort] : run.cells[Number(sort)].value;
}

// Numbers before words; what is missing is last whichever way the order runs.
function compareKeys(a, b, sign) {
  if (a === null || b === null) return (a === null) - (b === null);
  const numbers = (typeof b === "number") - (typeof a === "number");
  if (numbers) return numbers;
  return sign * (typeof a === "number" ? a - b : words.compare(a, b));
}

function csvOf(data, runs) {
  const head = ["rank", "run", "group", "priority", "type", "resources",
    ...data.columns.flatMap(({ title }) => [title, `${title} low`, `${title} high`, `${title} letters`]),
    "description"];
  const rows = runs.map((run) => [run.rank, run.id, run.group, run.priority, run.kind,
    run.resources === null ? null : run.resources.join(" ") || "none",
    ...run.cells.flatMap(({ value, low, high }, index) => [value, low, high, run.letters[index]]),
    run.description]);
  return [head, ...rows].map((row) => `${row.map(quoted).join(",")}\r\n`).join("");
}

function quoted(field) {
  const text = String(field ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
