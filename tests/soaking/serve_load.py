"""Load of the server: `python -m tests.soaking.serve_load [SECONDS] [MATCHES] [SPECTATORS]`.

Matches on physics in which a person throws every four seconds, each with spectators. Prints the
time from a throw to its film, the growth of memory, and what a page cost that never reads.
"""

import asyncio
import json
import resource
import statistics
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from websockets.asyncio.client import connect

from pigglesim.precompile import compile_for
from tests.serving import running

THINKING = 4.0


class Load:
    def __init__(self, served, until):
        self.served, self.until = served, until
        self.waits, self.films, self.faults = [], 0, 0

    def connect(self, secret=None):
        secret = secret or self.served.secret
        return connect(
            self.served.address.replace("http", "ws") + "/socket",
            origin=self.served.address,
            additional_headers={"Cookie": f"{self.served.access.cookie}={secret}"},
            max_size=None,
        )

    async def play(self, number, spectators):
        """Play matches against an agent, one after another, and time each own throw."""
        await asyncio.sleep(THINKING * number / 20)
        async with self.connect() as socket:
            asked, watchers = None, []
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
                elif kind == "fault":
                    self.faults += 1
                elif kind == "event" and message["chapter"]:
                    if asked is not None:
                        self.waits.append(time.monotonic() - asked)
                    asked = None
                elif kind == "state" and message["over"]:
                    await self.begin(socket)
                elif kind == "state" and message["yours"]:
                    await asyncio.sleep(THINKING)
                    asked = time.monotonic()
                    free = [each["name"] for each in message["load"] if each["free"]]
                    load = {"do": "load", "table": table, "at": message["at"], "piggles": free}
                    await socket.send(json.dumps(load))

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
        await silent.send('{"do":"lay"}')
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        each = -(-spectators // matches)
        players = [load.play(number, each) for number in range(matches)]
        await asyncio.wait_for(asyncio.gather(*players), seconds + 60)
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    waits = sorted(load.waits)
    p95 = waits[int(0.95 * len(waits))]
    print(
        f"{len(waits)} throws in {seconds:g} s: median {1e3 * statistics.median(waits):.0f} ms, "
        f"p95 {1e3 * p95:.0f} ms, most {1e3 * waits[-1]:.0f} ms; {load.films} events to "
        f"spectators, {load.faults} refused; memory {before / 1024:.0f} to {after / 1024:.0f} MB"
    )


if __name__ == "__main__":
    seconds, matches, spectators = (
        int(sys.argv[k]) if len(sys.argv) > k else default
        for k, default in ((1, 60), (2, 20), (3, 100))
    )
    compile_for("pours", engine="impulse")
    with TemporaryDirectory() as folder, running(Path(folder)) as served:
        asyncio.run(main(served, seconds, matches, spectators))
