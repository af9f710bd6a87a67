// Long tables: the first rows stand in the page, the others are made when somebody asks for them.

const ROWS_AT_ONCE = 500;

class LongTable {
  constructor(note, columns) {
    this.columns = columns;
    this.body = note.parentNode.querySelector("tbody");
    this.length = columns[0].places.length;
    this.limit = this.body.rows.length;
    this.search = element("input", { type: "search", placeholder: tr("Words of a row") });
    this.search.setAttribute("aria-label", tr("Search"));
    this.status = element("span", { "aria-live": "polite" });
    this.more = element("button", { type: "button" });
    let timer = 0;
    this.search.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => { this.limit = ROWS_AT_ONCE; this.render(); }, 150);
    });
    this.more.onclick = () => { this.limit += ROWS_AT_ONCE; this.render(); };
    note.replaceChildren(this.search, this.status, this.more);
    this.#say(this.length, this.limit);
  }

  #cell(column, row) { return this.columns[column].cells[this.columns[column].places[row]]; }

  #text(row) {
    return this.columns.map((column, place) => [this.#cell(place, row)].flat()[0]).join("\n").toLowerCase();
  }

  render() {
    const needles = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = [];
    for (let row = 0; row < this.length; row++) {
      if (!needles.length || needles.every((needle) => this.#text(row).includes(needle))) found.push(row);
    }
    const shown = found.slice(0, this.limit);
    this.body.replaceChildren(...shown.map((row) => element("tr", {},
      ...this.columns.map((column, place) => cellElement(this.#cell(place, row), column, place === 0)))));
    this.#say(found.length, shown.length);
  }

  #say(found, shown) {
    this.status.textContent = tr("{shown} of {all} rows", { shown: count(shown), all: count(found) });
    this.more.hidden = shown >= found;
    this.more.textContent = tr("{n} more", { n: count(Math.min(ROWS_AT_ONCE, found - shown)) });
  }
}

// A cell as the page writes it; `cell` is its text, or a list that begins with it.
function cellElement(cell, column, first) {
  const [text, interval, n, link, shade, bar, grade, mark] = [cell].flat();
  const node = element(first ? "th" : "td", { scope: first ? "row" : null });
  const heated = shade !== undefined && shade !== null;
  if (column.number || heated) node.className = heated ? "number heat" : "number";
  else node.style.minWidth = `min(${[...text].length + 4}ch,17rem,40vw)`;
  if (heated) node.style.setProperty("--shade", `${shade}%`);
  node.append(link ? element("a", { href: link, title: tr("Show these segments") }, text)
    : element("span", { className: "value", title: n ? `n = ${count(n)}` : null }, text));
  if (grade) node.append(" ", gradeElement(grade, mark));
  if (interval) node.append(" ", element("span", { className: "ci" }, interval));
  if (bar) node.append(barElement(bar, column.lower));
  return node;
}

function gradeElement(grade, mark) {
  const tone = ["A", "B", "C", "D"].includes(grade) ? ` grade-${grade.toLowerCase()}` : "";
  return element("b", { className: `grade${tone}` },
    element("span", { className: "unseen" }, `${tr("Grade")} `), grade,
    mark ? element("sup", {}, mark) : null);
}

function barElement([left, width, from, across], lower) {
  const part = (className, start, size) =>
    element("i", { className, style: `left:${start}%;width:${size}%` });
  const bar = element("span", { className: lower ? "bar lower" : "bar" }, part("fill", left, width),
    from === undefined ? null : part("whisker", from, across));
  bar.setAttribute("aria-hidden", "true");
  return bar;
}
