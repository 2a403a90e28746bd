// The connection to the server: it comes back by itself, and says in one line when it is gone.

import { byId } from "./dom.js";

const FIRST = 300; // pause before the first attempt to come back [ms]
const LONGEST = 4000;

export class Connection {
  /** Called with each message, and each time the connection has opened. */
  constructor(onMessage, onOpen) {
    this.onMessage = onMessage;
    this.onOpen = onOpen;
    this.pause = FIRST;
    this.open();
    addEventListener("online", () => this.open());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && this.socket.readyState > 1) this.open();
    });
  }

  open() {
    if (this.socket && this.socket.readyState < 2) return;
    clearTimeout(this.timer);
    this.socket = new WebSocket(`ws://${location.host}/socket`);
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
    if (code === 4401) {
      lost.textContent = "This page has no valid link any more. Open the link that the server printed.";
      return;
    }
    lost.textContent = "The server does not answer. This page comes back by itself when it does.";
    this.timer = setTimeout(() => this.open(), this.pause);
    this.pause = Math.min(2 * this.pause, LONGEST);
  }

  send(message) {
    if (this.socket.readyState === 1) this.socket.send(JSON.stringify(message));
  }
}
