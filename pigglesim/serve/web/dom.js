// Elements of the page, made without HTML text, so that no name can be more than a name.

import { byId } from "./controls.js";

export { byId };

/** An element: `el("button", { class: "main", onclick }, "Throw")`. */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style") node.style.cssText = value;
    else if (name in node && typeof value !== "string") node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** A field with its label; `read()` gives its value. */
export function field(label, input, hint = "") {
  return el("label", { class: "field", title: hint }, el("span", {}, label), input);
}

export function select(values, chosen, names = values) {
  return el("select", {}, values.map((value, k) => el("option", { value, selected: value === chosen }, names[k])));
}

/** A slider with its value beside it. */
export function slider(label, { low, high, step, value, unit = "", onchange = () => {} }) {
  const output = el("output", {}, `${value}${unit}`);
  const input = el("input", { type: "range", min: String(low), max: String(high), step: String(step) });
  input.value = String(value);
  input.addEventListener("input", () => {
    output.textContent = `${input.value}${unit}`;
    onchange(Number(input.value));
  });
  const node = el("label", { class: "slider" }, el("span", {}, label), input, output);
  return {
    node,
    get value() { return Number(input.value); },
    set value(number) {
      input.value = String(number);
      output.textContent = `${Number(number.toFixed(2))}${unit}`;
    },
  };
}

/** The paces at which agents play. */
export const paces = (chosen) => select(["0.5", "1", "2", "4", "0"], String(chosen), ["slow", "normal", "fast", "very fast", "at once"]);

/** A field for a seed, which is a whole number; `read(app)` gives it, null for a random one, or undefined and says why. */
export function seedField() {
  const input = el("input", { type: "text", inputmode: "numeric", placeholder: "random", size: "12", "aria-label": "Seed" });
  const read = (app) => {
    const text = input.value.trim();
    // JavaScript's numbers are exact up to 15 digits; the server reads longer ones as text.
    if (/^\d{0,39}$/.test(text)) return !text ? null : text.length > 15 ? text : Number(text);
    return app.fault("A seed is a whole number of at most 39 digits.");
  };
  return { input, read };
}

/** What this browser remembers, by name; nothing where it may not store. */
export const memory = new Proxy({}, {
  get(_, key) {
    try {
      return JSON.parse(localStorage.getItem(`pigglesim-${String(key)}`)) ?? undefined;
    } catch {
      return undefined;
    }
  },
  set(_, key, value) {
    try {
      localStorage.setItem(`pigglesim-${String(key)}`, JSON.stringify(value));
    } catch { /* A private window may store nothing. */ }
    return true;
  },
});

export const percent = (value, digits = 1) => `${(100 * value).toFixed(digits)} %`;

/** Tell people who listen to the page what has happened. */
export function say(text) {
  byId("live").textContent = text;
}
