// Difference of two texts: words for alphabets, single characters for Chinese and Japanese.

const CJK = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}";
const TOKEN = new RegExp(
  `(\\p{N}+(?:[.,]\\p{N}+)+|[${CJK}]|(?:(?![${CJK}])[\\p{L}\\p{N}\\p{M}])+|\\S)\\s*|\\s+`, "gu");
const MOST_EDITS = 200;          // of one window: time and memory grow with its square
const MOST_WORDS = 131072;       // so that three word numbers fit exactly into one double

// Keys to compare by, and where each token ends (blanks after a word belong to it).
function tokenize(text) {
  const keys = [], ends = [];
  for (const match of text.matchAll(TOKEN)) {
    keys.push(match[1] ?? "");
    ends.push(match.index + match[0].length);
  }
  return { keys, ends };
}

function numbered(keys, numbers) {
  return Int32Array.from(keys, (key) => {
    let number = numbers.get(key);
    if (number === undefined) numbers.set(key, number = numbers.size);
    return number;
  });
}

// For each token of b, the token of a that it equals in a common order, or -1. Long texts are
// cut at rare phrases that both have, so that the time stays bounded.
function align(a, b) {
  const match = new Int32Array(b.length).fill(-1);
  let start = 0, aEnd = a.length, bEnd = b.length;
  while (start < aEnd && start < bEnd && a[start] === b[start]) { match[start] = start; start++; }
  while (aEnd > start && bEnd > start && a[aEnd - 1] === b[bEnd - 1]) match[--bEnd] = --aEnd;
  let aFrom = start, bFrom = start;
  const long = aEnd + bEnd - 2 * start > 2 * MOST_EDITS;
  for (const [aAt, bAt] of long ? anchors(a, start, aEnd, b, start, bEnd) : []) {
    if (aAt < aFrom || bAt < bFrom) continue;
    alignGap(a, aFrom, aAt, b, bFrom, bAt, match);
    for (let k = 0; k < 3; k++) match[bAt + k] = aAt + k;
    aFrom = aAt + 3;
    bFrom = bAt + 3;
  }
  alignGap(a, aFrom, aEnd, b, bFrom, bEnd, match);
  return match;
}

// One window of Myers' algorithm after the other, each from where the last one got furthest.
function alignGap(a, aLo, aHi, b, bLo, bHi, match) {
  while (aLo < aHi && bLo < bHi) {
    const { x, y, trace } = furthestPath(a, aLo, aHi, b, bLo, bHi);
    walkBack(trace, x, y, (i, j) => { match[bLo + j] = aLo + i; });
    aLo += x;
    bLo += y;
  }
}

// Myers' greedy algorithm on a[aLo..aHi) and b[bLo..bHi), given up after MOST_EDITS edits: the
// point (x, y) that it reached, and the states by which to walk back from there.
function furthestPath(a, aLo, aHi, b, bLo, bHi) {
  const n = aHi - aLo, m = bHi - bLo, zero = MOST_EDITS + 1;
  const furthest = new Int32Array(2 * zero + 1), trace = [];
  for (let d = 0; ; d++) {
    trace.push(furthest.slice(zero - d - 1, zero + d + 2));
    let best = { x: 0, y: 0, trace };
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && furthest[zero + k - 1] < furthest[zero + k + 1]);
      let x = down ? furthest[zero + k + 1] : furthest[zero + k - 1] + 1;
      while (x < n && x - k < m && a[aLo + x] === b[bLo + x - k]) x++;
      furthest[zero + k] = x;
      if (x > n || x - k > m) continue;
      if (x === n && x - k === m) return { x, y: m, trace };
      if (2 * x - k > best.x + best.y) best = { x, y: x - k, trace };
    }
    if (d === MOST_EDITS) return best.x + best.y ? best : { x: n, y: m, trace: [] };
  }
}

function walkBack(trace, n, m, matched) {
  let x = n, y = m;
  for (let d = trace.length - 1; d >= 0; d--) {
    const furthest = trace[d], zero = d + 1, k = x - y;
    const down = k === -d || (k !== d && furthest[zero + k - 1] < furthest[zero + k + 1]);
    const before = down ? k + 1 : k - 1;
    const fromX = d ? furthest[zero + before] : 0, fromY = d ? fromX - before : 0;
    while (x > fromX && y > fromY && x > 0 && y > 0) matched(--x, --y);
    x = fromX;
    y = fromY;
  }
}

// Runs of three tokens that occur once in both texts, as the longest list in a common order.
function anchors(a, aLo, aHi, b, bLo, bHi) {
  const once = (tokens, low, high) => {
    const seen = new Map();
    for (let i = low; i + 2 < high; i++) {
      const key = (tokens[i] * MOST_WORDS + tokens[i + 1]) * MOST_WORDS + tokens[i + 2];
      seen.set(key, seen.has(key) ? -1 : i);
    }
    return seen;
  };
  const inA = once(a, aLo, aHi), pairs = [];
  for (const [key, at] of once(b, bLo, bHi)) {
    const other = inA.get(key) ?? -1;
    if (at >= 0 && other >= 0) pairs.push([other, at]);
  }
  return longestRising(pairs.sort((p, q) => p[1] - q[1]));
}

function longestRising(pairs) {
  const tops = [], before = new Int32Array(pairs.length).fill(-1);
  pairs.forEach(([value], index) => {
    let low = 0, high = tops.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[tops[middle]][0] < value) low = middle + 1; else high = middle;
    }
    before[index] = low ? tops[low - 1] : -1;
    tops[low] = index;
  });
  const chain = [];
  for (let at = tops.at(-1) ?? -1; at >= 0; at = before[at]) chain.push(pairs[at]);
  return chain.reverse();
}

// Runs over both texts: {kind: "same" | "ins", start, end} of `text`, {kind: "del", …} of `reference`.
function diffRuns(reference, text) {
  const from = tokenize(reference), to = tokenize(text), numbers = new Map();
  const a = numbered(from.keys, numbers), b = numbered(to.keys, numbers);
  const match = align(a, b), runs = [];
  let changed = 0;
  const add = (kind, ends, low, high) => {
    if (low >= high) return;
    if (kind !== "same") changed += high - low;
    runs.push({ kind, start: low ? ends[low - 1] : 0, end: ends[high - 1] });
  };
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    const aFrom = i, bFrom = j;
    while (j < b.length && match[j] < 0) j++;
    i = j < b.length ? match[j] : a.length;
    add("del", from.ends, aFrom, i);
    add("ins", to.ends, bFrom, j);
    const same = j;
    while (j < b.length && match[j] === i) { i++; j++; }
    add("same", to.ends, same, j);
  }
  return { runs, changed };
}
