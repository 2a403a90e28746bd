"""Load of the server: `-m scripts.trust.soaking.serve_load [SECONDS] [MATCHES] [SPECTATORS]`.

Matches on physics in which a person throws every four seconds, each with spectators. As a page
does, each asks for what simulates a throw; about half of the throws are paths of a hand. The server
runs as a person starts it, in processes of its own. Prints the time from a throw to its film, the
work and the memory of the server, and the load of the machine.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from websockets.asyncio.client import connect

from pigglesim.bodies.load import load_model
from pigglesim.scene.load import load_scene
from pigglesim.serve.access import PROTOCOL
from tests.support.hands import hand_throw, shaken

THINKING = 4.0
WATCHED = 60.0
"""Time between two looks at the memory [s]."""


class Served:
    """A server in processes of its own."""

    def __init__(self, process, link):
        self.process, (self.address, self.secret) = process, link.split("/#token=")

    @property
    def processes(self):
        """Numbers of its processes."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return [self.process.pid, *map(int, children.split())]

    @property
    def memory(self):
        """Memory of each process [MB]."""
        return [int(_status(number, "VmRSS")) // 1024 for number in self.processes]

    @property
    def work(self):
        """Processor time of each process [s]."""
        ticks = os.sysconf("SC_CLK_TCK")
        fields = [Path(f"/proc/{n}/stat").read_text().rpartition(")")[2] for n in self.processes]
        return [sum(map(int, each.split()[11:13])) / ticks for each in fields]


def _status(number, name):
    lines = Path(f"/proc/{number}/status").read_text().splitlines()
    return next(line.split()[1] for line in lines if line.startswith(name))


@contextmanager
def serving(folder):
    """Start a server of a folder until the end of the block."""
    words = [sys.executable, "-m", "pigglesim", "serve", "--no-open", "--folder", folder]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Served(process, process.stdout.readline().split()[1])
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()


class Load:
    def __init__(self, served, until):
        self.served, self.until = served, until
        self.waits, self.films, self.faults, self.prepared, self.by_hand = [], 0, 0, 0, 0
        self.scene, self.body = load_scene("piggles_classic"), load_model("piggle")

    def connect(self, secret=None):
        secret = secret or self.served.secret
        return connect(
            self.served.address.replace("http", "ws") + "/socket",
            origin=self.served.address,
            subprotocols=[PROTOCOL, secret],
            max_size=None,
            compression=None,
        )

    async def watch_memory(self):
        """Print the memory every minute."""
        began = time.monotonic()
        while True:
            await asyncio.sleep(WATCHED)
            minutes = (time.monotonic() - began) / 60.0
            print(f"after {minutes:.0f} min: {self.served.memory} MB", flush=True)

    async def play(self, number, spectators):
        """Play matches against an agent, one after another, and time each own throw."""
        await asyncio.sleep(THINKING * number / 20)
        async with self.connect() as socket:
            asked, watchers, rng = None, [], np.random.default_rng(number)
            while time.monotonic() < self.until:
                message = json.loads(await socket.recv())
                kind = message["is"]
                if kind == "welcome":
                    await self.begin(socket)
                elif kind == "opened":
                    table = message["table"]
                    ask = {"do": "ask", "table": table, "at": 0, "word": "links"}
                    await socket.send(json.dumps(ask))
                elif kind == "links":
                    secret = message["watch"].split("=")[1]
                    for task in watchers:
                        task.cancel()
                    watchers = [
                        asyncio.create_task(self.watch(secret, table)) for _ in range(spectators)
                    ]
                elif kind == "prepared":
                    self.prepared += message["kit"] is not None
                elif kind == "fault":
                    self.faults += 1
                elif kind == "event" and message["chapter"]:
                    if asked is not None:
                        self.waits.append(time.monotonic() - asked)
                    asked = None
                elif kind == "state" and message["over"]:
                    await self.begin(socket)
                elif kind == "state" and message["yours"] and "load" not in message:
                    # A match that is drawn goes on with one Piggle, chosen from a list.
                    turn = {"table": table, "at": message["at"], "choice": 0}
                    await socket.send(json.dumps({"do": "decide", **turn}))
                elif kind == "state" and message["yours"]:
                    free = [each["name"] for each in message["load"] if each["free"]]
                    turn = {"table": table, "at": message["at"], "piggles": free}
                    await socket.send(json.dumps({"do": "prepare_load", **turn}))
                    await asyncio.sleep(THINKING)
                    own = self.hand_of(len(free), rng) if rng.integers(2) else None
                    asked = time.monotonic()
                    await socket.send(json.dumps({"do": "load", **turn, "own": own}))

    def hand_of(self, count, rng):
        """Return the throw of so many Piggles by a person's hand, as text."""
        self.by_hand += 1
        return hand_throw(self.scene, (self.body,) * count, shaken(rng), rng=rng).text

    async def begin(self, socket):
        wish = {"do": "new", "players": ["human", "greedy"], "chance": "physical"}
        await socket.send(json.dumps({**wish, "engine": "impulse"}))

    async def watch(self, secret, table):
        async with self.connect(secret) as socket:
            await socket.send(json.dumps({"do": "open", "table": table}))
            async for text in socket:
                self.films += '"is":"event"' in text[:40]


async def main(served, seconds, matches, spectators):
    load = Load(served, time.monotonic() + seconds)
    async with load.connect() as silent:
        # A page that never reads must not hold up anybody.
        await silent.send('{"do":"set_table"}')
        before, worked = served.memory, sum(served.work)
        watching = asyncio.create_task(load.watch_memory())
        each = -(-spectators // matches)
        players = [load.play(number, each) for number in range(matches)]
        await asyncio.wait_for(asyncio.gather(*players), seconds + 60)
        watching.cancel()
        after, worked = served.memory, sum(served.work) - worked
    waits = sorted(load.waits)
    p95 = waits[int(0.95 * len(waits))]
    print(
        f"{len(waits)} throws in {seconds:g} s: median {1e3 * statistics.median(waits):.0f} ms, "
        f"p95 {1e3 * p95:.0f} ms, most {1e3 * waits[-1]:.0f} ms; {load.films} events to "
        f"spectators, {load.by_hand} by hand, {load.prepared} prepared, {load.faults} refused; "
        f"memory {before} to {after} MB; work of the server "
        f"{worked / seconds:.2f} cores, load of the machine {os.getloadavg()[0]:.1f}"
    )


if __name__ == "__main__":
    seconds, matches, spectators = (
        int(sys.argv[k]) if len(sys.argv) > k else default
        for k, default in ((1, 60), (2, 20), (3, 100))
    )
    with TemporaryDirectory() as folder, serving(folder) as served:
        asyncio.run(main(served, seconds, matches, spectators))
