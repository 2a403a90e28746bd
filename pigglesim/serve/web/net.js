// The connection to what plays: a server, where it comes back by itself and says in one line when it is
// gone, or a worker of this page with the same rules.

import { byId, el } from "./dom.js";
import { begun, worker } from "./early.js";

const FIRST = 300; // pause before the first attempt to come back [ms]
const LONGEST = 4000;
const REFUSED = 4401; // code of a socket whose secret is not valid
const CROWDED = 4429; // of a link that is open in too many pages
const SECRET = "pigglesim-secret"; // stored for this tab, and for this server's port alone

/** Take the secret of a link out of the address, and leave the match that it leads to; true if there was one. */
export function takeSecret() {
  const [, secret, place] = /^#token=([\w-]+)(\/(?:match\/[0-9a-f]{12}|play|throw|study))?$/.exec(location.hash) ?? [];
  if (!secret) return false;
  sessionStorage.setItem(SECRET, secret);
  history.replaceState(null, "", place ? `/#${place}` : "/");
  return true;
}

const secret = () => sessionStorage.getItem(SECRET);

const KEPT = "pigglesim-matches"; // stored in this browser by a page without a server
const MOST = 30; // matches
const STARTED = 4000; // after the rules are ready [ms]: the first throw needs the processor more than what is kept for later

/** The address of a file of the server in this page, as the server answers only those who show the secret. */
async function fetched(app, path) {
  if (worker) return URL.createObjectURL(new Blob([await app.connection.file(path)]));
  const answer = await fetch(path, { headers: { Authorization: `Bearer ${secret()}` } });
  if (!answer.ok) throw new Error(await answer.text());
  return URL.createObjectURL(await answer.blob());
}

/** A button that downloads a file. */
export function download(app, path, text) {
  const button = el("button", { type: "button", class: "chip" }, text);
  button.addEventListener("click", async () => {
    button.disabled = true;
    button.textContent = `${text} ...`; // films of whole matches take a while
    try {
      const href = await fetched(app, path);
      el("a", { href, download: path.split("/").at(-1) }).click();
      setTimeout(() => URL.revokeObjectURL(href), 60_000);
    } catch (error) {
      app.fault(error.message);
    } finally {
      button.disabled = false;
      button.textContent = text;
    }
  });
  return button;
}

/** A picture of the server. */
export function picture(app, path, attributes) {
  const image = el("img", attributes);
  image.addEventListener("load", () => URL.revokeObjectURL(image.src));
  fetched(app, path).then((href) => { image.src = href; }, (error) => app.fault(error.message));
  return image;
}

/** Connect to what plays; the first function is called with each message, the other each time the connection has opened. */
export const connect = (onMessage, onOpen) => (worker ? new InPage(onMessage, onOpen) : new Connection(onMessage, onOpen));

class InPage {
  constructor(onMessage, onOpen) {
    const lost = byId("lost");
    const say = (text, calm = false) => {
      [lost.hidden, lost.textContent] = [!text, text];
      lost.classList.toggle("calm", calm);
    };
    const failed = (text) => say(`The rules did not load: ${text}. Reload this page.`);
    say("The rules are loading ...", true);
    byId("tabs").hidden = true;
    this.files = [];
    worker.addEventListener("message", ({ data }) => {
      if (data.is === "failed") failed(data.text);
      else if (data.is === "file") this.files.shift()(data.text);
      else if (data.is === "keep") this.keep(data);
      else if (data.is === "analyse") this.analyse(data.wish, onMessage);
      else if (data.is === "ready") {
        say("");
        setTimeout(this.keepPage, STARTED);
      }
      else if (data.is === "welcome") onOpen(data);
      else onMessage(data);
    });
    worker.addEventListener("error", ({ message }) => failed(message ?? "a file is missing"));
    this.send({ do: "kept", matches: this.kept });
  }

  /** Keep the page for visits without a network; without https it plays on, but not offline. */
  keepPage() {
    navigator.serviceWorker?.register("sw.js").catch(() => {});
  }

  send(message) {
    (message.do === "stop" ? this.analyst : worker)?.postMessage(JSON.stringify(message));
  }

  /** Let another worker analyse, so that the table answers meanwhile; it ends with its findings, as it needs much memory. */
  analyse(wish, onMessage) {
    this.analyst?.terminate();
    const analyst = this.analyst = begun("analyst");
    analyst.addEventListener("message", ({ data }) => {
      if (data.is === "welcome" || data.is === "ready") return;
      onMessage(data.is === "failed" ? { ...data, is: "fault" } : data);
      if (data.is !== "progress") analyst.terminate();
    });
    analyst.addEventListener("error", ({ message }) => onMessage({ is: "fault", text: `The review has failed: ${message ?? "a file is missing"}. Try it again.` }));
    analyst.postMessage(JSON.stringify(wish));
  }

  /** Matches that this browser keeps, the newest last. */
  get kept() {
    try {
      const kept = JSON.parse(localStorage.getItem(KEPT));
      return Array.isArray(kept) ? kept : [];
    } catch {
      return [];
    }
  }

  keep({ table, wish, actions, row }) {
    const others = this.kept.filter((each) => each?.table !== table).slice(1 - MOST);
    try {
      localStorage.setItem(KEPT, JSON.stringify([...others, { table, wish, actions, row }]));
    } catch { /* a full or forbidden store: the match goes on without */ }
  }

  /** The text of a file that the worker writes. */
  file(path) {
    return new Promise((resolve) => {
      this.files.push(resolve);
      this.send({ do: "file", table: path.split("/")[2] });
    });
  }
}

class Connection {
  constructor(onMessage, onOpen) {
    this.onMessage = onMessage;
    this.onOpen = onOpen;
    this.pause = FIRST;
    this.open();
    addEventListener("online", () => this.open());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && this.socket?.readyState > 1) this.open();
    });
  }

  open() {
    if (this.socket && this.socket.readyState < 2) return;
    clearTimeout(this.timer);
    if (!secret()) {
      this.closed(REFUSED);
      return;
    }
    this.socket = new WebSocket(`ws://${location.host}/socket`, ["pigglesim", secret()]);
    this.socket.addEventListener("open", () => {
      this.pause = FIRST;
      byId("lost").hidden = true;
    });
    this.socket.addEventListener("message", (event) => {
      const message = JSON.parse(event.data);
      if (message.is === "welcome") this.onOpen(message);
      else this.onMessage(message);
    });
    this.socket.addEventListener("close", (event) => this.closed(event.code));
  }

  closed(code) {
    const lost = byId("lost");
    lost.hidden = false;
    const final = {
      [REFUSED]: "This tab has no valid link. Open the link that the server printed, or your invitation.",
      [CROWDED]: "This link is open in too many pages. Close some of them, then reload this one.",
    }[code];
    lost.textContent = final ?? "The server does not answer. This page comes back by itself when it does.";
    if (final) return;
    this.timer = setTimeout(() => this.open(), this.pause);
    this.pause = Math.min(2 * this.pause, LONGEST);
  }

  send(message) {
    if (this.socket?.readyState === 1) this.socket.send(JSON.stringify(message));
  }
}
