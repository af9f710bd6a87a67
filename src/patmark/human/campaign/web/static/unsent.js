// Sends answers that wait on this device from every page of an evaluator, not only while judging.

import { showAside } from "./notices.js";
import { SaveQueue } from "./queue.js";

const { who, csrf, open } = JSON.parse(document.querySelector("#unsent").textContent);
const queue = new SaveQueue(who, csrf, {
  state() {}, saved() {}, refused() {}, signedOut() {}, aside() { showAside(queue, open); },
});
showAside(queue, open);
queue.flush();
