// One card per segment. Texts are painted when they come into sight, a few at a time.

const SHORT = 600;               // characters of a text shown before "Show all"
const FEW_FINDINGS = 6;
const SLICE = 12;                // milliseconds of painting before the browser may breathe
const MOST_REFERENCES = 4;       // to choose the closest one from

const count = (number) => number.toLocaleString("en-US");

class Cards {
  constructor(data) {
    this.data = data;
    this.jobs = new WeakMap();   // text box -> how to paint it
    this.waiting = [];
    this.watcher = new IntersectionObserver((entries) => this.#seen(entries), { rootMargin: "300px" });
  }

  // New cards for these segments; what was waiting to be painted is forgotten.
  build(segments, view) {
    this.view = view;
    this.watcher.disconnect();
    this.waiting = [];
    return segments.map((segment) => element("li", {}, this.#card(segment)));
  }

  #seen(entries) {
    const idle = !this.waiting.length;
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      this.watcher.unobserve(entry.target);
      this.waiting.push(entry.target);
    }
    if (idle && this.waiting.length) setTimeout(() => this.#paintSome());
  }

  #paintSome() {
    const start = performance.now();
    while (this.waiting.length && performance.now() - start < SLICE) this.#paint(this.waiting.shift());
    if (this.waiting.length) setTimeout(() => this.#paintSome());
  }

  #paint(box) {
    const job = this.jobs.get(box);
    const diffing = this.view.diff && job.references.length > 0;
    if (diffing) job.closest ??= closestReference(job.references, job.text);
    const { runs, reference } = diffing ? job.closest : { runs: null, reference: "" };
    const spans = [...findingSpans(job.text, job.findings), ...hitSpans(job.text, this.view.needle)];
    const cut = paintText(box, { text: job.text, reference, runs, spans, limit: job.limit });
    job.more.hidden = !cut && job.limit === SHORT;
    job.more.textContent = cut ? tr("Show all {n} characters", { n: count(job.text.length) }) : tr("Show less");
  }

  #textBox(text, lang, { references = [], findings = [] }) {
    const box = element("p", { className: "text", lang }, text.slice(0, SHORT));
    const more = element("button", { type: "button", className: "more", hidden: true });
    const job = { text, references, findings, limit: SHORT, more, closest: null };
    more.onclick = () => {
      job.limit = job.limit === SHORT ? Infinity : SHORT;
      this.#paint(box);
    };
    this.jobs.set(box, job);
    this.watcher.observe(box);
    return element("div", { className: "what" }, box, more);
  }

  #card(segment) {
    const { data, view } = this;
    const found = (data.findings.get(segment) ?? [])
      .filter((finding) => view.systems.includes(finding.system));
    const on = (side) => ({ findings: found.filter((finding) => finding.side === side) });
    const source = data.sources[segment], references = data.references[segment];
    return element("article", { className: "segment" },
      this.#header(segment),
      source === null ? null
        : row(tr("Source"), "given", this.#textBox(source, data.languages.source, on("source"))),
      ...references.map((text, index) => row(
        references.length > 1 ? tr("Reference {n}", { n: index + 1 }) : tr("Reference"), "given",
        this.#textBox(text, data.languages.target, index ? {} : on("reference")))),
      ...view.systems.map((system) => this.#systemRow(segment, system, found)));
  }

  #header(segment) {
    const { data, view } = this;
    const ahead = view.sort === "difference" ? advantage(view, segment) : null;
    return element("header", {},
      element("h3", {}, data.ids[segment]),
      data.documents[segment] ? element("span", { className: "document" }, data.documents[segment]) : null,
      ...data.facets.map((facet) => {
        const option = facet.options[facet.values[segment]];
        if (option === data.noValue) return null;
        const query = new URLSearchParams({ [`facet.${facet.name}`]: option });
        return element("a", { className: "facet", href: `#${query}`,
          title: tr("Show only these segments") }, element("small", {}, `${facet.title} `), option);
      }),
      ahead === null ? null : element("span", { className: "advantage" },
        `${ahead > 0 ? "+" : ""}${ahead.toFixed(view.measure.digits)}`));
  }

  #systemRow(segment, system, found) {
    const { data } = this;
    const text = data.hypotheses[segment][system];
    const own = found.filter((finding) => finding.system === system);
    const what = !text?.trim()
      ? element("div", { className: "what" }, element("p", { className: "missing" },
        text === null ? tr("no answer") : tr("empty answer")))
      : this.#textBox(text, data.languages.target, {
        references: data.references[segment].slice(0, MOST_REFERENCES),
        findings: own.filter((finding) => finding.side === "hypothesis"),
      });
    const chips = data.measures.filter((measure) => measure.values[system][segment] !== null)
      .map((measure) => this.#chip(measure, measure.values[system][segment], own));
    if (own.length) what.append(this.#findingList(own));
    if (chips.length) what.append(this.#chipList(chips));
    return row(data.systems[system], "system", what);
  }

  // The chosen measure and what failed; the others when they are asked for.
  #chipList(chips) {
    const others = chips.filter((chip) => !chip.matches(".chosen, .failed"));
    const list = element("ul", { className: "chips" }, ...chips);
    if (others.length < 2) return list;
    const more = element("button", { type: "button", className: "more" },
      tr("{n} more scores", { n: others.length }));
    const item = element("li", {}, more);
    for (const chip of others) chip.hidden = true;
    more.onclick = () => {
      for (const chip of others) chip.hidden = false;
      item.remove();
    };
    list.append(item);
    return list;
  }

  #chip(measure, score, own) {
    const failed = own.some((finding) => this.data.checks[finding.check] === measure.name);
    const chip = element("li", { className: "chip" }, `${measure.name} `,
      element("b", {}, score.toFixed(measure.digits)));
    chip.classList.toggle("chosen", measure === this.view.measure);
    chip.classList.toggle("failed", failed);
    chip.style.setProperty("--part", Math.max(0, Math.min(1, score / measure.top)).toFixed(3));
    return chip;
  }

  #findingList(own) {
    const items = own.map((finding, index) => element("li", { hidden: index >= FEW_FINDINGS },
      element("button", { type: "button", title: tr("Show the place"), className: findingClass(finding.level),
        onclick: (event) => this.#show(event.target, finding) }, this.data.checks[finding.check]),
      ` ${finding.message} `, element("small", {}, SIDE_NAMES[finding.side])));
    const list = element("ul", { className: "findings" }, ...items);
    if (items.length > FEW_FINDINGS) {
      const more = element("button", { type: "button", className: "more" },
        tr("{n} more findings", { n: count(items.length - FEW_FINDINGS) }));
      more.onclick = () => {
        items.forEach((item) => { item.hidden = false; });
        more.parentNode.remove();
      };
      list.append(element("li", {}, more));
    }
    return list;
  }

  // Unfold the text that the finding is in, and bring the place into sight.
  #show(origin, finding) {
    const card = origin.closest("article");
    for (const box of card.querySelectorAll(".text")) {
      const job = this.jobs.get(box);
      if (!job.findings.includes(finding)) continue;
      if (!job.more.hidden) job.limit = Infinity;
      this.#paint(box);
    }
    const mark = card.querySelector(`mark[data-findings~="${finding.number}"]`);
    mark?.scrollIntoView({ block: "center" });
    mark?.animate([{ outline: "3px solid currentColor" }, { outline: "3px solid transparent" }], 1500);
  }
}

function row(who, kind, what) {
  return element("div", { className: `row ${kind}` }, element("div", { className: "who" }, who), what);
}

function closestReference(references, text) {
  const all = references.map((reference) => ({ reference, ...diffRuns(reference, text) }));
  return all.reduce((best, each) => (each.changed < best.changed ? each : best));
}
