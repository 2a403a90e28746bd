// The worker of a page without a server, which loads the rules. It starts before the rest of the page has loaded.

const { worker: script } = document.documentElement.dataset;

export const begun = (name) => script && (window.pigglesimWorker?.(name) ?? new Worker(script, { type: "module", name }));
export const worker = begun("table");
