"""Designs: targets, the room for ballast, the first guess, and a search that finds a known body."""

import math
from dataclasses import replace

import numpy as np
import pytest

from pigglesim.bodies.load import BallastSpec, ballast_of, check_ballast
from pigglesim.bodies.mesh import mass_of
from pigglesim.bodies.variant import body_of_variant, read_source, variant_body, variant_files
from pigglesim.errors import SpecError
from pigglesim.experiments.counted_dice import total_variation
from pigglesim.experiments.design import (
    MATERIALS,
    Candidate,
    Design,
    FloorShares,
    Room,
    parse_floors,
    parse_free,
    parse_target,
    unseen_floors,
    variation_of,
)
from pigglesim.experiments.floor_posterior import Floors
from pigglesim.scene.load import load_floor


def design(model="d6", target="6=.2", free=("ballast",), **changes):
    """Return a small search."""
    source = read_source(model)
    return Design(**{
        "source": source, "target": parse_target(target, source.body), "free": free,
        "materials": ("steel",), "floors": (Floors.of("tabletop"),), "surface": "plastic",
        "engine": "impulse", "drops": 100, "check": 1000, "seed": 1, **changes,
    })  # fmt: skip


def test_a_target_names_classes_in_any_spelling():
    pig = read_source("piggle").body
    assert parse_target("up=.5, Snout-Down=.4,head=0.1", pig) == {
        "Snout-Up": 0.5, "Snout-Down": 0.4, "On-Their-Head": 0.1,
    }  # fmt: skip
    assert parse_target("fair", pig) == pytest.approx(
        {"On-Their-Head": 1 / 3, "Snout-Down": 1 / 3, "Snout-Up": 1 / 3}
    )
    # Classes left out share the rest.
    assert parse_target("head=.2", pig) == {"On-Their-Head": 0.2, "others": pytest.approx(0.8)}


@pytest.mark.parametrize(
    ("model", "text", "message"),
    [
        ("piggle", "up=.5,down=.4,head=.2", r"add up to 1.1 \(expected 1\); divide them by 1.1"),
        ("piggle", "up=.5,down=.3,head=.1", r"add up to 0.9 \(expected 1\); divide"),
        ("d6", "1=.7,2=.5", r"add up to 1.2 \(expected at most 1, the rest for 3, 4, 5, 6\)"),
        ("piggle", "up=.5,sideways=.5", r"unknown class of piggle 'sideways'"),
        ("d6", "7=.5", r"unknown class of d6 '7' \(expected 1, 2, 3, 4, 5, 6\); use one of these"),
        ("piggle", "up=.5,Snout-Up=.1", "two shares of Snout-Up"),
        ("piggle", "up", r"invalid share 'up' in --target \(expected label=share.*up=0.3333"),
        ("piggle", "up=nan", "invalid share 'up=nan'"),
        ("piggle", "up=-.1", "invalid share"),
        ("piggle", "", "invalid share ''"),
    ],
)
def test_an_impossible_target_is_refused_in_one_line(model, text, message):
    with pytest.raises(SpecError, match=message):
        parse_target(text, read_source(model).body)


def test_free_parameters():
    assert parse_free("shape, ballast", read_source("d6")) == ("ballast", "shape")
    with pytest.raises(SpecError, match="unknown kind of free parameter 'colour'"):
        parse_free("ballast,colour", read_source("d6"))
    with pytest.raises(SpecError, match=r"premium has ballast.*; use --free ballast,shape"):
        parse_free("shape", read_source("premium"))


def test_floors_are_judged_at_heights_that_the_search_did_not_see():
    floors = parse_floors("tabletop, felt", "100mm,0.25 m")
    assert [(floor.id, floor.ground.fall.height) for floor in floors] == [
        ("tabletop, 100 mm", 0.1), ("tabletop, 250 mm", 0.25),
        ("felt, 100 mm", 0.1), ("felt, 250 mm", 0.25),
    ]  # fmt: skip
    assert floors[1].ground.surfaces == load_floor("tabletop").surfaces
    unseen = unseen_floors(floors)
    assert [floor.id for floor in unseen] == [
        "tabletop, 50 mm", "tabletop, 500 mm", "felt, 50 mm", "felt, 500 mm",
    ]  # fmt: skip
    assert [floor.ground.fall.height for floor in unseen] == pytest.approx([0.05, 0.5, 0.05, 0.5])
    assert parse_floors("felt", None) == (Floors.of("felt"),)


@pytest.mark.parametrize(
    ("floors", "heights", "message"),
    [
        ("felt,felt", None, "floor 'felt' is named twice"),
        (" , ", None, "no floor is named"),
        ("felt,lava", None, "lava"),
        ("felt", "0mm", "invalid height '0mm'"),
        ("felt", "100mm,10cm", "invalid height '10cm'"),
        ("felt", "1kg", "invalid height '1kg'"),
        ("felt", "", "no height is named"),
        ("felt,printed", "100mm", "a fit has its own heights of the drop; leave --heights out"),
    ],
)
def test_impossible_floors_are_refused_in_one_line(floors, heights, message):
    with pytest.raises(SpecError, match=message):
        parse_floors(floors, heights)


def test_the_total_variation_of_counts_has_an_interval_that_holds_the_truth():
    rng, wanted, truth = np.random.default_rng(1), np.array([0.5, 0.4, 0.1]), [0.55, 0.33, 0.12]
    inside = 0
    for _ in range(400):
        tv = variation_of(rng.multinomial(2000, truth)[None, :], wanted)
        inside += tv.low <= 0.07 <= tv.high
    # Of 400 intervals of 95 %, less than 362 hold the truth once in 10,000 times.
    assert inside >= 362


def test_of_several_floors_the_one_that_misses_most_counts():
    search = design("d6", "6=.2", floors=parse_floors("tabletop,felt", "100mm,200mm")[:3])
    rng, done = np.random.default_rng(1), []
    for index in range(search.rounds[0]):
        point = rng.uniform(0.0, 1.0, 3) if index else np.full(3, 0.5)
        # The share of 6 grows with a parameter on all floors.
        sixes = 0.2 + np.array([0.06, -0.02, -0.02]) + 0.2 * (point[0] - 0.5)
        counts = tuple(
            ((round(1e4 * six), 10_000 - round(1e4 * six), 0),) for six in sixes.tolist()
        )
        done.append(Candidate(index=index, point=tuple(point), material="steel", counts=counts))
    # Lower by .1, all are off by .04. Least squares would lower it by .03 only.
    assert search._centre(done)[0] == pytest.approx(0.4, abs=0.02)


@pytest.mark.parametrize("model", ["d6", "piggle"])
def test_ballast_moves_the_centre_to_its_target_and_stays_inside(model):
    source = read_source(model)
    room, skin = Room(source, np.ones(3)), source.body.skin
    density = source.spec.density_kg_m3
    plain = mass_of(skin.vertices, skin.faces, density=density)
    for way in np.random.default_rng(1).normal(size=(5, 3)):
        way /= np.linalg.norm(way)
        reach = room.reach(way, "lead")
        assert 0.3e-3 < reach < 0.5 * 16e-3
        for share in (0.05, 0.6, 1.0, 3.0):
            ball = room.ballast(share * reach * way, "lead")
            mass = mass_of(skin.vertices, skin.faces, density=density, ballast=ballast_of(ball))
            # Beyond its reach, ballast reaches as far as it can. Files have 0.1 um.
            assert mass.centre - plain.centre == pytest.approx(
                min(share, 1) * reach * way, abs=3e-7
            )
            check_ballast(skin.vertices, skin.faces, ballast_of(ball), name="x")
    assert room.ballast(np.zeros(3), "lead") is None


def test_a_heavier_material_reaches_farther():
    room = Room(read_source("d6"), np.ones(3))
    reaches = [room.reach(np.array([0.0, 0.0, 1.0]), name) for name in MATERIALS]
    assert reaches == sorted(reaches)
    assert reaches[-1] > 1.3 * reaches[0]


def test_the_first_guess_meets_the_target_without_momentum():
    search = design("piggle", "up=.5,down=.4,head=.1")
    guess, material = search.guess()
    assert material == "steel"
    assert search.rolled(search.body_at(guess, material)) == pytest.approx(
        [0.5, 0.4, 0.1], abs=5e-3
    )


def test_a_shape_preserves_the_volume_and_its_files_are_the_body_that_was_dropped():
    search = design("d6", free=("shape",), materials=("",))
    scale, ballast = search.shape_at((0.9, 0.3), "")
    assert ballast is None
    assert np.prod(scale) == pytest.approx(1.0, abs=1e-5)
    dropped = search.body_at((0.9, 0.3), "")
    loaded = body_of_variant(variant_files(search.source, name="x", scale=scale, ballast=None))
    assert loaded.mass.mass == pytest.approx(search.source.body.mass.mass, rel=1e-5)
    assert loaded.mass.inertia == pytest.approx(dropped.mass.inertia, rel=1e-5, abs=1e-13)
    assert [pose.label for pose in loaded.poses] == [pose.label for pose in dropped.poses]
    assert np.ptp(loaded.skin.vertices, axis=0) == pytest.approx(16e-3 * scale, rel=1e-6)


def test_a_search_drops_what_it_plans_and_adds_up_its_check(monkeypatch):
    monkeypatch.setattr("pigglesim.experiments.design._REGIONS", (0.25,))
    search = design(
        free=("shape",), materials=("",), drops=20, check=60,
        floors=parse_floors("tabletop,felt", None), unseen=parse_floors("felt", "50mm"),
    )  # fmt: skip
    search._nearest_points[""] = 0.0, (0.5, 0.5)  # the first guess, which takes seconds
    done = []
    for end in search.stages:
        drop = search.stage(done)
        done += [drop(index) for index in range(len(done), end)]
    tried = done[: search.rounds[-1]]
    assert len({each.point for each in tried}) == len(tried)
    assert sum(np.sum(drawn) for each in done for drawn in each.counts) == search.total_drops
    result, sixes = search.result(done), [each.shares[:, 0] for each in tried]
    assert (result.low[0], result.high[0]) == (np.min(sixes), np.max(sixes))
    # One chunk is of the design, and one of the die as it is, each on all three floors.
    for judged, each in zip((result.judged, result.other), done[-2:], strict=True):
        assert [[one.value for one in own.shares] for own in judged] == each.shares.tolist()
        assert {one.trials for own in judged for one in own.shares} == {60}
        assert {own.budgets for own in judged} == {None}


def test_each_drop_on_a_fit_is_on_its_own_floor():
    search = design(floors=(Floors.of("printed"),))
    fit, body = search.floors[0], search.source.body
    places, drawn = fit.places(fit.ground), fit.drawn(range(30), seed=1)
    task, by_hand = search.task(body, fit, name="a"), np.zeros((len(places), 3), int)
    for number, floor in enumerate(drawn.tolist()):
        at = replace(task, fall=places[floor].fall, surface=places[floor].surface("plastic"))
        by_hand[floor] += at.drop(range(number, number + 1)).counts
    assert np.array_equal(search._dropped(body, fit, "a", range(30)), by_hand)


def test_a_design_on_a_fit_has_the_error_budget_of_a_study():
    fit, rng, wanted = Floors.of("printed"), np.random.default_rng(4), np.array([0.5, 0.4, 0.1])
    assert fit.known is not None
    own = rng.dirichlet(60.0 * wanted, len(fit.known.floors))
    counts = np.array([rng.multinomial(400, shares) for shares in own])
    on_fit = FloorShares.of(counts, fit, wanted, [0.0, 0.002, 0.002])
    alone = FloorShares.of(counts.sum(axis=0)[None, :], Floors.of("tabletop"), wanted, [0.0] * 3)
    assert on_fit.budgets is not None and alone.budgets is None
    for share, plain, budget, worth in zip(
        on_fit.shares, alone.shares, on_fit.budgets, wanted * (1.0 - wanted), strict=True
    ):
        assert share.value == plain.value
        # Floors differ as 60 throws do, and the law errs as the fit says.
        assert budget.floors == pytest.approx(worth / 61.0, rel=0.4)
        assert budget.law == pytest.approx(worth / fit.model_throws, rel=0.1)
        assert share.high - share.low == pytest.approx(3.92 * np.sqrt(budget.variance), rel=0.15)
        assert plain.high - plain.low < 0.1 * (share.high - share.low)
    assert [budget.mesh for budget in on_fit.budgets] == pytest.approx([0.0, 4e-6, 4e-6])
    assert on_fit.tv.value == alone.tv.value
    assert on_fit.tv.high - on_fit.tv.value > 5.0 * (alone.tv.high - alone.tv.value)


@pytest.mark.parametrize("floor", ["printed", "tabletop"])
def test_a_body_that_shows_no_class_has_unknown_shares(floor):
    ground, wanted = Floors.of(floor), np.array([0.5, 0.4, 0.1])
    nothing = np.zeros((len(ground.places(ground.ground)), 3), dtype=np.int64)
    judged = FloorShares.of(nothing, ground, wanted, [0.0] * 3)
    for found in (judged.tv, variation_of(nothing, wanted)):
        assert all(map(math.isnan, (found.value, found.low, found.high)))
    assert all(math.isnan(share.value) for share in judged.shares)
    assert {(share.low, share.high) for share in judged.shares} == {(0.0, 1.0)}


def test_a_search_in_which_no_candidate_shows_a_class_has_a_result_that_misses():
    search = design(check=100)
    none = ((0, 0, 100),)
    candidates = [
        Candidate(index=k, point=(0.5,) * search.dimensions, material="steel", counts=(none,))
        for k in range(search.stages[-1])
    ]
    result = search.result(candidates)
    assert math.isnan(result.tv)
    assert result.low == result.high == (0.0, 0.0)
    assert result.worst == 0.5


def test_the_check_has_other_random_numbers_than_the_search():
    search = design()
    body, floor = search.source.body, search.floors[0]
    names = ("design", "design", "design, check")
    first, again, check = (search._dropped(body, floor, name, range(300)) for name in names)
    assert first == again != check


@pytest.mark.slow
def test_a_search_finds_the_centre_of_a_die_with_known_ballast():
    source = read_source("d6")
    known = BallastSpec(
        form="ball", density_kg_m3=MATERIALS["steel"], centre_mm=(1.0, 2.0, 3.0), radius_mm=3.5
    )
    body = variant_body(source, scale=np.ones(3), ballast=known)
    search = design("d6", "1=.1,2=.1,3=.2,4=.2,5=.2,6=.2", drops=400, check=5000)
    tally = search.task(body, search.floors[0], name="known").drop(range(20_000))
    shares = np.array(tally.counts[:-1]) / 20_000
    search = replace(search, target=dict(zip(search.target, shares.tolist(), strict=True)))
    done = []
    for end in search.stages:
        drop = search.stage(done)
        done += [drop(index) for index in range(len(done), end)]
    result = search.result(done)
    # Of 5,000 drops into six classes, noise alone is a total variation of .013.
    assert result.tv < 0.03 < result.other_tv
    found = search.body_at(result.found.point, result.found.material).mass.centre
    plain = source.body.mass.centre
    # Of 4,000 drops at the centre of a round, a share is known to .006, and .1 of a share is 1 mm:
    # .06 mm by each of two opposite faces.
    assert found - plain == pytest.approx(body.mass.centre - plain, abs=3 * 0.06e-3)
    assert np.linalg.norm(body.mass.centre - plain) > 0.7e-3
    assert total_variation(np.array(result.rolled), search.wanted) < result.other_tv
