// The words of the interface that scripts show.

const words = JSON.parse(document.querySelector("#words").textContent);

export function say(key, values = {}) {
  return words[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
}
