"""A program that plays any game at random, and fails at one decision: HOW, NUMBER, and a log."""

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

WELL = ("well", "twice", "chat")
"""Ways without a fault."""
LINES = {
    "text": b"hello",
    "blank": b"",
    "list": b"[1]",
    "null": b"null",
    "deep": b"[" * 100_000,
    "bytes": b"\xff\xfe\x00",
    "unknown": b'{"type": "bestaction", "id": %d, "action": "jump"}',
    "number": b'{"type": "bestaction", "id": %d, "action": 7}',
    "nothing": b'{"type": "bestaction", "id": %d}',
    "sure": b'{"type": "info", "value": 7}',
    "kind": b'{"type": "newgame"}',
    "untyped": b"{}",
    "other": b'{"type": "bestaction", "id": 1000000, "action": "roll"}',
    "no id": b'{"type": "bestaction", "action": "jump"}',
}
"""Lines that are not of the protocol; `%d` is the number of the question."""


def say(data, end=b"\n"):
    sys.stdout.buffer.write(data + end)
    sys.stdout.buffer.flush()


def start(how, log):
    """Start a process, and log its number and the own one; it may hold the output open."""
    out = subprocess.DEVNULL if how == "close" else None
    child = subprocess.Popen(["sleep", "600"], stdout=out)
    Path(log).write_text(f"{os.getpid()} {child.pid}")


def fail(how, number):
    """Fail in the way that was asked for."""
    match how:
        case "crash":
            raise ZeroDivisionError("oh")
        case "end":
            sys.exit(0)
        case "half":
            say(b'{"type": "besta', end=b"")
            os._exit(3)
        case "close":
            os.close(1)
            time.sleep(600)
        case "hang":
            time.sleep(600)
        case "flood":
            while True:
                say(b"x" * 100_000, end=b"")
        case _:
            line = LINES[how]
            say(line % number if b"%d" in line else line)


def play(how, at):
    """Answer the lines of a match, up to the decision with the fault."""
    decisions, offered = 0, []
    for text in sys.stdin:
        message = json.loads(text)
        match message["type"]:
            case "newgame":
                say(b'{"type": "ready"}')
            case "position":
                offered = message["legal_actions"]
            case "go":
                decisions += 1
                number = message["id"]
                if decisions == at and how not in WELL:
                    fail(how, number)
                    continue
                if how == "chat":
                    say(json.dumps({"type": "info", "value": 0.5, "text": "é" * 9999}).encode())
                action = random.Random(message["seed"]).choice(offered)
                best = {"type": "bestaction", "id": number, "action": action}
                for _ in range(1 + (how == "twice")):
                    say(json.dumps(best).encode())


if __name__ == "__main__":
    start(sys.argv[1], sys.argv[3])
    play(sys.argv[1], int(sys.argv[2]))
