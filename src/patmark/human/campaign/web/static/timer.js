// The time that somebody really looks at the page: not while it is hidden, not after a minute
// without any sign of life.

const IDLE = 60000;

export class ActiveTimer {
  constructor() {
    this.spent = 0;
    this.last = performance.now();
    this.shown = !document.hidden;
    for (const name of ["keydown", "pointerdown", "pointermove", "scroll"]) {
      addEventListener(name, () => this.tick(), { passive: true, capture: true });
    }
    document.addEventListener("visibilitychange", () => {
      this.tick();
      this.shown = !document.hidden;
    });
  }

  tick() {
    const now = performance.now();
    if (this.shown) this.spent += Math.min(now - this.last, IDLE);
    this.last = now;
  }

  // Seconds since the last time they were taken.
  take() {
    this.tick();
    const seconds = this.spent / 1000;
    this.spent = 0;
    return Math.round(seconds * 10) / 10;
  }
}
