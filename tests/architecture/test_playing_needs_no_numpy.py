"""Matches are played, seen and saved where neither numpy, scipy nor numba can be imported."""

import subprocess
import sys

ALONE = """
import importlib, pkgutil, sys

class Refusing:
    def find_spec(self, name, path=None, target=None):
        if name.partition('.')[0] in {'numpy', 'scipy', 'numba'}:
            raise ImportError(f'{name} is refused')

sys.meta_path.insert(0, Refusing())
# Films show throws of physics, and the other modules are searches or compiled.
needs_numpy = {
    'pigglesim.table.films', 'pigglesim.agents.search', 'pigglesim.agents.piggy_six',
    'pigglesim.agents.piggles_steps', 'pigglesim.agents.places',
    'pigglesim.agents.piggy_six_steps', 'pigglesim.agents.pig_pile_steps',
    'pigglesim.agents.piggyback_steps',
}
for room in ('games', 'match', 'table', 'agents'):
    package = importlib.import_module(f'pigglesim.{room}')
    for found in pkgutil.walk_packages(package.__path__, f'pigglesim.{room}.'):
        compiled = 'compiled' in found.name or found.name.endswith('_kernel')
        if found.name not in needs_numpy and not compiled:
            importlib.import_module(found.name)

from pathlib import Path
from pigglesim.agents.registry import make_agent
from pigglesim.chance.tabular import FairChance, believed_chance
from pigglesim.games.registry import make_game
from pigglesim.landing import BOARD_SEATS
from pigglesim.match.correspondence import GUEST, LinkSetup
from pigglesim.match.link_memory import Memory, invited
from pigglesim.match.links import format_link, new_terms
from pigglesim.match.record import format_record, parse_record
from pigglesim.match.runner import make_header
from pigglesim.table.layout import as_json
from pigglesim.table.session import SaveFile, Session
from pigglesim.table.view import log_lines

for name, rules in {'piggles_classic': {'rounds': 3}, 'piggyback': {'cap': 40}}.items():
    game = make_game(name, rules)
    chance = FairChance(seed=7) if name == 'piggyback' else believed_chance().with_seed(7)
    players = {
        seat: make_agent(agent, game=game, chance=believed_chance())
        for seat, agent in zip(BOARD_SEATS, ('greedy', 'uniform'))
    }
    header = make_header(game, agents=players, chance=chance, seed=7)
    match = Session(game, header=header, agents=players, chance=chance, saves=SaveFile(Path(name)))
    while not match.over:
        match.play(match.next_event())
    record = match.record()
    assert parse_record(format_record(record)) == record
    assert (as_json(match.view.table(match.state, None) or ()) != []) == (name == 'piggyback')
    print(name, record.footer.status, len(log_lines(match.view, match.events)) > 20)
    by_link, memory = invited(
        new_terms(name, rules=rules), lambda _: LinkSetup(game=game, models={}, source=chance)
    )
    by_link.give_nonces(GUEST, Memory(role=GUEST, secret=bytes(32)).nonces)
    while not by_link.over:
        while by_link.deciding:
            by_link.decide(0)
        by_link.end_message()
        if not by_link.over:
            by_link.begin_message()
    assert len(format_link(by_link.link())) > 150
assert not {'numpy', 'scipy', 'numba'} & set(sys.modules)
"""


def test_matches_are_played_without_numpy_scipy_and_numba(tmp_path):
    done = subprocess.run(
        [sys.executable, "-P", "-c", ALONE], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "piggles_classic finished True",
        "piggyback finished True",
    ]
