"""Matches on physics with a player who holds the cup in an own way."""

from dataclasses import dataclass, replace

import pigglesim
from pigglesim.games.piggles.areas import Load
from pigglesim.landing import CupHold
from pigglesim.scene.load import load_scene

HAND = load_scene("piggles_classic").hand
USUAL = CupHold(
    across=HAND.across, back=HAND.end_back, height=HAND.lip_height, heading=HAND.heading
)
OVER_THE_EDGE = CupHold(across=0.16, back=0.0, height=0.3, heading=0.0, swing=1.0)


@dataclass(frozen=True)
class Holds:
    """Loads all its Piggles, and holds the cup in its own way."""

    hold: CupHold
    name: str = "holds"

    def choose(self, observation, legal_actions, *, rng):
        action = legal_actions[-1]
        loads = [each for each in legal_actions if isinstance(each, Load) and each.piggles]
        if loads:
            return replace(max(loads, key=lambda each: len(each.piggles)), hold=self.hold)
        return action


def played(hold, **more):
    return pigglesim.play_match(
        agents=(Holds(hold), "greedy"),
        chance="physical",
        engine="impulse",
        house_rules={"rounds": 1},
        seed=5,
        **more,
    )
