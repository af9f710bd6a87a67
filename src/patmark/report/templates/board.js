// The leaderboard. The form and the sorted heading hold the state; the address keeps a copy of it.

class Board {
  constructor(data, section) {
    this.section = section;
    this.form = section.querySelector("form");
    this.body = section.querySelector("tbody");
    this.headings = new Map([...section.querySelectorAll("thead button")]
      .map((button) => [button.value, button]));
    const rows = [...this.body.rows];
    data.runs.forEach((run, index) => Object.assign(run, {
      row: rows[index], rank: index + 1,
      searched: folded([run.group, run.id, run.description].join("\n")),
    }));
    this.data = data;
    this.form.reset();
    this.form.hidden = section.querySelector(".export").hidden = false;
    this.#listen();
    this.open(location.hash.includes("=") ? location.hash : "#");
  }

  #checked(name) {
    return [...this.form.querySelectorAll(`[name="${name}"]:checked`)].map((box) => box.value);
  }

  // Best first: large numbers where more is better, else small ones, and words from A to Z.
  #startsDown(sort) {
    const numeric = this.data.runs.some((run) => typeof run.cells[Number(sort)]?.value === "number");
    return numeric && this.data.columns[Number(sort)].higherIsBetter;
  }

  readView() {
    return {
      q: this.form.elements.q.value, sort: this.sort, down: this.down,
      ...Object.fromEntries(["kind", ...states, "first"]
        .map((name) => [name, this.#checked(name)])),
    };
  }

  render() {
    const { runs } = this.data;
    this.shown = selectRuns(this.data, this.readView());
    this.body.replaceChildren(...this.shown.map((run) => run.row));
    this.section.querySelector("[role=status]").textContent =
      tr("{shown} of {all} runs shown", { shown: this.shown.length, all: runs.length });
    this.section.querySelector(".none").hidden = this.shown.length > 0;
    for (const [key, button] of this.headings) {
      const heading = button.parentNode;
      if (key !== this.sort) heading.removeAttribute("aria-sort");
      else heading.setAttribute("aria-sort", this.down ? "descending" : "ascending");
    }
  }

  #changed() {
    this.render();
    const { q, sort, down, ...boxes } = this.readView(), state = new URLSearchParams();
    if (q.trim()) state.set("q", q.trim());
    for (const [name, values] of Object.entries(boxes)) {
      for (const value of values) state.append(name, value);
    }
    if (sort !== "rank" || down) state.set("sort", sort);
    if (down !== this.#startsDown(sort)) state.set("order", "reverse");
    try {
      history.replaceState(null, "", `#${state}`);
    } catch { /* a framed copy may not touch its address; the view works all the same */ }
  }

  // Show the view that an address describes; what it does not name is at its default.
  open(hash) {
    const state = new URLSearchParams(hash.slice(1)), sort = state.get("sort");
    this.form.elements.q.value = state.get("q") ?? "";
    for (const box of this.form.querySelectorAll("[type=checkbox]")) {
      box.checked = state.getAll(box.name).includes(box.value);
    }
    this.sort = this.headings.has(sort) ? sort : "rank";
    this.down = this.#startsDown(this.sort) !== (state.get("order") === "reverse");
    this.render();
  }

  #listen() {
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("input", () => this.#changed());
    this.form.querySelector("[value=clear]").onclick = () => {
      this.open("#");
      this.#changed();
    };
    for (const [key, button] of this.headings) {
      button.disabled = false;
      button.onclick = () => {
        this.down = key === this.sort ? !this.down : this.#startsDown(key);
        this.sort = key;
        this.#changed();
      };
    }
    this.section.querySelector("[value=copy]").onclick = (event) => this.#copy(event.target);
    this.section.querySelector("[value=download]").onclick = () => this.#download();
    addEventListener("hashchange", () => { if (location.hash.includes("=")) this.open(location.hash); });
  }

  async #copy(button) {
    await copyText(csvOf(this.data, this.shown));
    button.textContent = tr("Copied");
    setTimeout(() => { button.textContent = tr("Copy CSV"); }, 1500);
  }

  // A spreadsheet takes the text for UTF-8 only when it begins with a byte order mark.
  #download() {
    const file = new Blob(["\ufeff", csvOf(this.data, this.shown)], { type: "text/csv" });
    const href = URL.createObjectURL(file);
    element("a", { href, download: "leaderboard.csv" }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60000);
  }
}

const runs = document.querySelector("#runs");
made("data", runs.querySelector("h2"), (data) => new Board(data, runs));
