// Saves one after the other. What is not saved yet stays on the device, survives a reload or a
// crash, and is sent again until the server has answered. A save sent twice is stored once.
// An entry tells when (`at`) and on which revision (`body.known`) it was given. One that comes too
// late is set aside on the device, until its evaluator decides about it.

const FIRST_WAIT = 1000, LONGEST_WAIT = 30000, PATIENCE = 15000;

export class SaveQueue {
  // `heard` gets: state(), saved(entry, answer), refused(entry, reason), aside(entry), signedOut().
  constructor(who, csrf, heard) {
    this.key = `patmark-unsaved:${who}`;
    this.csrf = csrf;
    this.heard = heard;
    this.kept = {};
    this.durable = true;
    this.sending = null;
    this.offline = false;
    this.stopped = false;
    this.wait = FIRST_WAIT;
    this.timer = 0;
    addEventListener("online", () => this.flush());
    addEventListener("storage", (event) => { if (event.key === this.key) this.heard.state(); });
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.flush(); });
  }

  entries() { return this.read(this.key); }

  aside() { return this.read(`${this.key}:aside`); }

  read(key) {
    if (!this.durable) return this.kept[key] ?? [];
    try {
      const found = JSON.parse(localStorage.getItem(key) ?? "[]");
      return Array.isArray(found) ? found : [];
    } catch {
      return this.kept[key] ?? [];
    }
  }

  write(entries, key = this.key) {
    this.kept[key] = entries;
    try {
      if (entries.length) localStorage.setItem(key, JSON.stringify(entries));
      else localStorage.removeItem(key);
    } catch {
      this.durable = false;
    }
  }

  // Forget an answer that was set aside.
  drop({ place }) {
    this.write(this.aside().filter((one) => one.place !== place), `${this.key}:aside`);
  }

  setAside(entry) {
    this.drop(entry);
    this.write([...this.aside(), entry], `${this.key}:aside`);
    this.heard.aside(entry);
  }

  // Send an answer that was set aside; it replaces the later one that its evaluator has seen.
  again({ newer, ...entry }) {
    const client = newClient();
    if ("known" in entry.body) entry.body = { ...entry.body, client, known: newer?.revision ?? entry.body.known };
    return this.add({ ...entry, client, at: newer ? Date.now() : entry.at });
  }

  // A later save of the same thing takes the place of one that has not been sent.
  add(entry) {
    this.drop(entry);
    const entries = this.entries();
    const at = entries.findIndex(
      (one) => one.place === entry.place && one.client !== this.sending);
    if (at >= 0) {
      const [older] = entries.splice(at, 1);
      if ("seconds" in entry.body) entry.body.seconds += older.body.seconds ?? 0;
    }
    this.write([...entries, entry]);
    this.heard.state();
    return this.flush();
  }

  pending() { return this.entries().length; }

  async flush() {
    if (this.sending || this.stopped) return;
    clearTimeout(this.timer);
    for (let entry; (entry = this.entries()[0]) && !this.stopped;) {
      this.sending = entry.client;
      this.heard.state();
      const done = await this.send(entry);
      this.sending = null;
      if (!done) {
        this.timer = setTimeout(() => this.flush(), this.wait);
        this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
        break;
      }
      this.wait = FIRST_WAIT;
    }
    this.heard.state();
  }

  // Whether to go on with the next entry.
  async send(entry) {
    let response, answer;
    const { body } = entry;
    const age = "known" in body ? { age: Math.max(0, Date.now() - entry.at) / 1000 } : {};
    try {
      response = await fetch(document.documentElement.dataset.root + entry.address, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-CSRF-Token": this.csrf },
        body: JSON.stringify({ ...body, ...age }),
        signal: AbortSignal.timeout(PATIENCE),
      });
      answer = await response.json();
    } catch {
      this.offline = true;
      return false;
    }
    this.offline = false;
    if (response.status === 401 || response.status === 403) {
      this.stopped = true;
      this.heard.signedOut();
      return false;
    }
    if (response.status >= 500 || response.status === 429) {
      this.offline = true;
      return false;
    }
    const others = this.entries().filter((one) => one.client !== entry.client);
    if (response.ok) for (const one of others) if (one.place === entry.place) one.body.known = answer.revision;
    this.write(others);
    if (response.ok) this.heard.saved(entry, answer);
    else if (answer.newer || answer.reason === "closed") this.setAside({ ...entry, newer: answer.newer });
    else this.heard.refused(entry, answer.detail);
    return true;
  }
}

// Random names also where the page is not served over TLS.
export function newClient() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
