"""A player of Piggy Six in another process: it stops with 20 points in the turn, or to win."""

import json
import sys


def send(kind, **values):
    print(json.dumps({"type": kind, **values}), flush=True)


def decide(observation, legal_actions, settings):
    """Return one of the legal actions, and the points of the turn."""
    state = observation["state"]
    number = "AB".index(observation["seat"])
    total = state["total"]
    wins = state["bank"][number] + total >= settings["target"]
    if "stop" in legal_actions and (total >= 20 or wins):
        return "stop", total
    return "roll", total


settings, position = {}, {}
for line in sys.stdin:
    message = json.loads(line)
    match message["type"]:
        case "newgame":
            if message["game"] != "piggy_six":
                sys.exit(f"this player plays piggy_six, not {message['game']}")
            settings = message["settings"]
            send("ready")
        case "position":
            position = message
        case "go":
            action, total = decide(position["observation"], position["legal_actions"], settings)
            send("info", text=f"{total} points in this turn")
            send("bestaction", id=message["id"], action=action)
        case "stop":
            pass  # the answer to `go` has been sent already
        case "quit":
            break
