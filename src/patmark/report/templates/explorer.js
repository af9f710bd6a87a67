// The segment explorer. The form holds the whole state of the view; the address keeps a copy of it.

class SegmentExplorer {
  constructor(data, section) {
    this.data = prepared(data);
    this.section = section;
    this.form = section.querySelector("form");
    this.list = section.querySelector(".segments");
    this.pager = section.querySelector(".pager");
    this.cards = new Cards(this.data);
    this.page = 1;
    this.form.hidden = false;
    this.#listen();
    if (location.hash.includes("=")) this.open(location.hash); else this.render();
  }

  #value(name) { return this.form.elements[name]?.value ?? ""; }

  #names() { return new Set([...this.form.elements].map((field) => field.name).filter(Boolean)); }

  readView() {
    const { data } = this, system = this.#value("system");
    return {
      systems: system === "" ? data.systems.map((_, index) => index) : [Number(system)],
      measure: data.measures[Number(this.#value("measure"))] ?? null,
      pair: [Number(this.#value("first")), Number(this.#value("second"))],
      facets: new Map(data.facets.map(({ name }) => [name, this.#value(`facet.${name}`)])),
      needle: this.#value("q").trim().toLowerCase(),
      diff: this.#value("view") === "diff",
      findings: this.#value("findings"),
      min: this.#value("min"),
      max: this.#value("max"),
      sort: this.#value("sort"),
    };
  }

  render() {
    const view = this.readView(), segments = selectSegments(this.data, view);
    const size = Number(this.#value("size")), pages = Math.max(1, Math.ceil(segments.length / size));
    this.page = Math.min(Math.max(1, this.page), pages);
    const first = (this.page - 1) * size;
    this.list.replaceChildren(...this.cards.build(segments.slice(first, first + size), view));
    this.list.start = first + 1;
    this.section.querySelector("[role=status]").textContent =
      tr("{shown} of {all} segments", { shown: count(segments.length), all: count(this.data.ids.length) });
    this.section.querySelector(".none").hidden = segments.length > 0;
    const pair = this.section.querySelector(".pair");
    if (pair) pair.hidden = view.sort !== "difference";
    this.#renderPager(pages);
  }

  #renderPager(pages) {
    this.pager.hidden = pages < 2;
    this.pager.querySelector(".place").textContent = tr("Page {page} of {pages}", { page: count(this.page), pages: count(pages) });
    const goals = { first: 1, previous: this.page - 1, next: this.page + 1, last: pages };
    for (const button of this.pager.querySelectorAll("button")) {
      const goal = goals[button.value];
      button.disabled = goal < 1 || goal > pages || goal === this.page;
      button.onclick = () => this.#turnTo(goal);
    }
  }

  #turnTo(page) {
    this.page = page;
    this.#changed();
    this.section.querySelector(".shown").scrollIntoView();
    this.list.focus({ preventScroll: true });
  }

  #changed() {
    this.render();
    const state = new URLSearchParams();
    for (const name of this.#names()) {
      if (this.#value(name) !== this.defaults.get(name)) state.set(name, this.#value(name));
    }
    if (this.page > 1) state.set("page", this.page);
    try {
      history.replaceState(null, "", `#${state}`);
    } catch { /* a framed copy may not touch its address; the view works all the same */ }
  }

  // Show the view that an address describes; what it does not name is at its default.
  open(hash) {
    const state = new URLSearchParams(hash.slice(1));
    this.form.reset();
    for (const name of this.#names()) {
      const field = this.form.elements[name];
      if (state.has(name)) field.value = state.get(name);
      if (field.selectedIndex === -1) field.selectedIndex = 0;
    }
    this.page = Number(state.get("page")) || 1;
    this.#changed();
    this.section.scrollIntoView();
  }

  #listen() {
    const { form } = this;
    let timer = 0;
    form.reset();
    this.defaults = new Map([...this.#names()].map((name) => [name, this.#value(name)]));
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", (event) => {
      const typing = event.target.matches("[type=search], [type=number]");
      clearTimeout(timer);
      timer = setTimeout(() => { this.page = 1; this.#changed(); }, typing ? 150 : 0);
    });
    form.querySelector("[value=clear]").onclick = () => this.open("#");
    addEventListener("hashchange", () => { if (location.hash.includes("=")) this.open(location.hash); });
    document.addEventListener("click", (event) => {
      const link = event.target.closest('a[href^="#"]');
      if (!link?.hash.includes("=")) return;
      event.preventDefault();
      this.open(link.hash);
    });
  }
}
