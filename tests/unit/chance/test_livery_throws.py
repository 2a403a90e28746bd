"""A livery is for eyes only: what is thrown in it lands, to the bit, as the plain model."""

import pytest

from pigglesim.api.sources import make_chance, make_source
from pigglesim.errors import SpecError
from pigglesim.games.registry import make_game
from pigglesim.landing import RollRequest, Seat

TEAM = tuple(f"A{number}" for number in range(1, 7))


def landings(models):
    chance = make_chance(
        "piggles_classic", models=dict(zip(TEAM, models, strict=True)), engine="bullet", seed=5
    )
    return chance.roll(RollRequest(thrower=Seat.A, piggles=TEAM), index=0), chance


def test_a_throw_in_any_livery_gives_the_same_bits():
    plain, _ = landings(["piggle"] * 6)
    mixed, chance = landings(
        [
            "piggle+orange+across",
            "piggle+red",
            "piggle+blue+left",
            "piggle+green+spiral_cw",
            "piggle+yellow+split",
            "piggle",
        ]
    )
    assert mixed == plain
    digests = chance.provenance()["models"]
    assert len(digests) == 6
    assert len(set(digests.values())) == 1


def test_measured_shares_serve_a_livery_and_no_other_weight():
    models = dict.fromkeys(TEAM, "piggle+blue+left")
    game = make_game("piggles_classic")
    source = make_source(game, "tabular", scene=None, models=models, seed=1)
    assert source.roll(RollRequest(thrower=Seat.A, piggles=TEAM), index=0).landings
    models["A1"] = "premium+blue"
    with pytest.raises(SpecError, match="--chance physical"):
        make_source(game, "tabular", scene=None, models=models, seed=1)
