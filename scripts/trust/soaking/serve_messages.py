"""Random messages to the server: `python -m scripts.trust.soaking.serve_messages [COUNT] [SEED]`.

The server answers each, or plays it where it is legal, and never fails. In the end the saved match
is read and replayed.
"""

import json
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from pigglesim.match.record import read_record
from pigglesim.match.replay import replay
from tests.support.serving import random_message, running

BATCH = 100


def main(folder, count, seed):
    rng, kinds = np.random.default_rng(seed), Counter()
    with running(folder) as served, served.person() as person:
        person.send(do="new", players=["human", "greedy"], chance="tabular", practice=True, pace=0)
        table = person.until("opened")["table"]
        for _ in range(0, count, BATCH):
            for _ in range(BATCH):
                person.connection.send(random_message(rng, table))
            person.send(do="fly")
            while True:
                message = person.next()
                kinds[message["is"]] += 1
                assert "has failed" not in json.dumps(message), message
                if "Input tag 'fly'" in message.get("text", ""):
                    break
            person.heard.clear()
        match = served.server.matches[table]
        match.close()
        path, events = match.session.saves.path, len(match.session.events)
        replay(read_record(path))
    print(f"{count} messages, answers {dict(kinds)}; a match of {events} events, which replays")


if __name__ == "__main__":
    words = [int(word) for word in sys.argv[1:]]
    with TemporaryDirectory() as folder:
        main(Path(folder), *words, *(100_000, 3)[len(words) :])
