// Fingers, mouse, keys and the bar: what they do to the player. The help is written from the same table.

import { clamp } from "./vectors.js";

export const byId = (id) => document.getElementById(id);

/** What the bar does to the player of a page, if it has one; `more` are rows of the page itself. */
export function listenToBar(page, more = []) {
  const rows = [
    ["again", "click", ({ clock }) => clock.again()],
    ["play", "click", ({ clock }) => clock.toggle()],
    ["scrub", "input", ({ clock }, { value, max }) => clock.seek(clock.start + (clock.end - clock.start) * (value / max))],
    ["speed", "change", ({ clock }, { value }) => { clock.speed = Number(value); }],
    ["view", "change", (player, { value }) => player.see(value)],
    ["show", "change", ({ labels }, { value }) => { labels.mode = value; }],
    ...more,
  ];
  for (const [id, kind, deed] of rows) {
    byId(id)?.addEventListener(kind, () => {
      if (!page.player) return;
      deed(page.player, byId(id));
      page.player.dirty = true;
    });
  }
}

/** Show in the bar the time, and from where and with which labels the film is seen. */
export function writeBar({ clock, camera, labels }) {
  const [scrub, play] = [byId("scrub"), byId("play")];
  scrub.value = String(scrub.max * ((clock.time - clock.start) / (clock.end - clock.start || 1)));
  scrub.setAttribute("aria-valuetext", `${clock.time.toFixed(2)} seconds`);
  byId("view").value = camera.free ? "" : camera.name; // so each place can be chosen again
  byId("show").value = labels.mode;
  play.classList.toggle("playing", clock.playing);
  play.setAttribute("aria-label", clock.playing ? "Pause" : "Play");
}

/** Drag to orbit; two fingers, the right button or Shift to pan; wheel or pinch to zoom. */
export function listenToPointers(canvas, player) {
  const held = new Map();
  const spread = () => {
    const [a, b] = [...held.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, apart: Math.hypot(a.x - b.x, a.y - b.y) };
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    held.set(event.pointerId, { x: event.clientX, y: event.clientY });
  });
  canvas.addEventListener("pointermove", (event) => {
    const was = held.get(event.pointerId);
    if (!was) return;
    const { camera } = player;
    const high = canvas.clientHeight;
    const before = held.size === 2 ? spread() : null;
    held.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (before) {
      const after = spread();
      camera.pan((after.x - before.x) / high, (after.y - before.y) / high);
      camera.zoom(before.apart / Math.max(after.apart, 1));
    } else if (held.size === 1) {
      const [across, up] = [(event.clientX - was.x) / high, (event.clientY - was.y) / high];
      if (event.shiftKey || event.buttons & 6) camera.pan(across, up);
      else camera.orbit(4 * across, 4 * up);
    }
    player.dirty = true;
  });
  for (const kind of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(kind, (event) => held.delete(event.pointerId));
  }
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    player.camera.zoom(Math.exp(clamp(event.deltaY, -200, 200) * 0.0016));
    player.dirty = true;
  }, { passive: false });
}

/** Every key: how it is called, what it does in words, and what it does. */
export function keyTable(player, page) {
  const turn = (across, up) => () => player.camera.orbit(across, up);
  const see = (name) => () => player.see(name);
  const table = [
    [" ", "Space", "play, pause", () => player.clock.toggle()],
    ["ArrowLeft", "←", "a picture back", () => player.step(-1)],
    ["ArrowRight", "→", "a picture on", () => player.step(1)],
    ["r", "r", "play from the start", () => player.clock.again()],
    ["f", "f", "full screen, or no longer", () => page.full()],
    ["j", "j", "to the knock before", () => player.jump(false)],
    ["k", "k", "to the next knock", () => player.jump(true)],
    ["Home", "Home", "to the start", () => player.clock.seek(player.clock.start)],
    ["End", "End", "to the end", () => player.clock.seek(player.clock.end)],
    ["-", "−", "slower", () => player.clock.faster(-1)],
    ["+", "+", "faster", () => player.clock.faster(1)],
    ["a", "a", "turn left", turn(-0.1, 0)],
    ["d", "d", "turn right", turn(0.1, 0)],
    ["w", "w", "look from higher", turn(0, 0.08)],
    ["s", "s", "look from lower", turn(0, -0.08)],
    ["e", "e", "nearer", () => player.camera.zoom(0.88)],
    ["q", "q", "farther", () => player.camera.zoom(1 / 0.88)],
    ["1", "1", "seen by A, from the South", see("south")],
    ["2", "2", "seen by B, from the North", see("north")],
    ["3", "3", "seen from near the board", see("low")],
    ["t", "t", "seen from above", see("top")],
    ["l", "l", "labels: readings, names, none", () => player.labels.cycle()],
    ["?", "?", "this help", () => page.help()],
  ];
  if (page.thrower) {
    const shake = () => {
      if (!page.grip) page.give();
      page.grip.shake(true);
    };
    table.push(["x", "x", "take the cup and shake it; arrows move it, Enter pours, Esc puts it back", shake]);
  }
  if (player.index.chapters.length > 1) {
    table.push(["[", "[", "the roll before", () => page.turnTo(player.number - 1)]);
    table.push(["]", "]", "the next roll", () => page.turnTo(player.number + 1)]);
  }
  return table;
}

export function listenToKeys(player, table, page) {
  const deeds = new Map(table.map(([key, , , deed]) => [key, deed]));
  deeds.set("=", deeds.get("+"));
  document.addEventListener("keydown", (event) => {
    const { target } = event;
    // Where a key has a meaning of its own it keeps it.
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("select, dialog")) return;
    if (event.key === " " && target.closest("button, a, summary, label")) return;
    if (event.key.startsWith("Arrow") && target.closest("input, .wide")) return;
    if (page.grip?.key(event.key)) {
      event.preventDefault();
      return;
    }
    const deed = deeds.get(event.key) ?? deeds.get(event.key.toLowerCase());
    if (!deed) return;
    event.preventDefault();
    deed();
    player.dirty = true;
  });
  listenToShaking(page);
}

/** Let the key that shakes the cup of a page end that, too. */
export function listenToShaking(page) {
  document.addEventListener("keyup", ({ key }) => key.toLowerCase() === "x" && page.grip?.shake(false));
  window.addEventListener("blur", () => page.grip?.shake(false));
}
