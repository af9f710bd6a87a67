// Which segments a view shows, and in which order. `view` is what the form says, see readView.

const SIDES = ["source", "hypothesis", "reference"];
const SIDE_NAMES = {
  source: tr("source"), hypothesis: tr("hypothesis"), reference: tr("reference"),
};

// The data of the page, made ready for questions.
function prepared(data) {
  const findings = new Map();
  data.findings.forEach(([check, system, segment, side, start, end, message, level], number) => {
    const finding = {
      number, check, system, side: SIDES[side], start, end, message: data.messages[message],
      level,
      title: `${data.systems[system]} · ${data.checks[check]}: ${data.messages[message]}`,
    };
    if (!findings.has(segment)) findings.set(segment, []);
    findings.get(segment).push(finding);
  });
  const measures = data.measures.map((measure) => {
    const percent = measure.values.some((row) => row.some((score) => Math.abs(score) > 1.5));
    return { ...measure, digits: percent ? 1 : 3, top: percent ? 100 : 1 };
  });
  return { ...data, findings, measures, lowered: null };
}

// Lower-case copies of all texts, made when somebody searches for the first time.
function loweredTexts(data) {
  data.lowered ??= {
    shared: data.ids.map((id, index) => [id, data.documents[index] ?? "",
      data.sources[index] ?? "", ...data.references[index]].join("\n").toLowerCase()),
    hypotheses: data.hypotheses.map((texts) => texts.map((text) => (text ?? "").toLowerCase())),
  };
  return data.lowered;
}

function selectSegments(data, view) {
  const tests = [...facetTests(data, view), scoreTest(view), findingTest(data, view),
    searchTest(data, view)].filter(Boolean);
  const segments = [];
  for (let segment = 0; segment < data.ids.length; segment++) {
    if (tests.every((test) => test(segment))) segments.push(segment);
  }
  return ordered(data, view, segments);
}

function facetTests(data, view) {
  return data.facets.map((facet) => {
    const wanted = facet.options.indexOf(view.facets.get(facet.name));
    return wanted < 0 ? null : (segment) => facet.values[segment] === wanted;
  });
}

function scoreTest({ measure, systems, min, max }) {
  if (!measure || (min === "" && max === "")) return null;
  const low = min === "" ? -Infinity : Number(min), high = max === "" ? Infinity : Number(max);
  return (segment) => systems.some((system) => {
    const score = measure.values[system][segment];
    return score !== null && score >= low && score <= high;
  });
}

function findingTest(data, { findings, systems }) {
  if (findings === "") return null;
  return (segment) => (data.findings.get(segment) ?? []).some((finding) =>
    systems.includes(finding.system) && (findings === "any" || finding.check === Number(findings)));
}

function searchTest(data, { needle, systems }) {
  if (!needle) return null;
  if (needle.startsWith("=")) return (segment) => data.ids[segment].toLowerCase() === needle.slice(1);
  const { shared, hypotheses } = loweredTexts(data);
  return (segment) => shared[segment].includes(needle)
    || systems.some((system) => hypotheses[segment][system].includes(needle));
}

function ordered(data, view, segments) {
  if (view.sort === "id") {
    const collator = new Intl.Collator("en", { numeric: true });
    return segments.sort((a, b) => collator.compare(data.ids[a], data.ids[b]));
  }
  const key = sortKey(view);
  if (!key) return segments;
  const keys = new Map(segments.map((segment) => [segment, key(segment)]));
  const smallerFirst = (p, q) => (p < q ? -1 : p > q ? 1 : 0);
  return segments.sort((a, b) => smallerFirst(keys.get(a), keys.get(b)) || a - b);
}

// Smaller keys come first; segments without a score come last.
function sortKey(view) {
  const scores = (segment) => view.systems.map((system) => view.measure.values[system][segment])
    .filter((score) => score !== null);
  return !view.measure ? null : {
    low: (segment) => Math.min(...scores(segment)),
    high: (segment) => -Math.max(...scores(segment)),
    difference: (segment) => -(advantage(view, segment) ?? -Infinity),
  }[view.sort];
}

// How much better the first system is than the second; null where one has no score.
function advantage({ measure, pair }, segment) {
  const [first, second] = pair.map((system) => measure.values[system][segment]);
  if (first === null || second === null) return null;
  return measure.higherIsBetter ? first - second : second - first;
}
