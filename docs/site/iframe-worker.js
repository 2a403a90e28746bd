// Search from disk: browsers start no worker for a page that was opened as a file, so that what
// would be one runs in a frame that nobody sees, and hears and tells the same messages.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inside = frame.contentWindow;
      inside.postMessage = (data) => {
        const event = new MessageEvent("message", { data });
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      };
      const script = frame.contentDocument.createElement("script");
      script.src = new URL(url, location.href);
      script.onload = () => {
        const waiting = this.waiting;
        this.waiting = null;
        this.tell = (data) => inside.dispatchEvent(new inside.MessageEvent("message", { data }));
        waiting.forEach(this.tell);
      };
      frame.contentDocument.body.append(script);
    }
    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.tell(data);
    }
    terminate() {}
  };
}
