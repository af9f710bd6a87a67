// The texts that scripts show, in the language of the page: English stands in the scripts.

const words = JSON.parse(document.querySelector("#words").textContent);

export function tr(text, values = {}) {
  return (words[text] ?? text).replace(/\{(\w+)\}/g, (_, name) => values[name]);
}
