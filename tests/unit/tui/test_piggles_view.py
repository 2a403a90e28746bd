"""What the screen says of Piggles is what the rules did, and what it promises comes."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from textual.widgets import OptionList

from pigglesim.chance.tabular import TabularChance
from pigglesim.games.piggles.game import PigglesClassic, PigglesModern
from pigglesim.games.piggles.state import PigglesPhase, PigglesRules
from pigglesim.landing import BOARD_SEATS, Knock, Landing, Orientation, RollResult, Seat, Zone
from pigglesim.match.entries import Decision, MatchOutcome
from pigglesim.match.runner import MatchEvent, play
from pigglesim.render.palette import ZONE_NAMES
from pigglesim.table.view import Tone, make_view
from pigglesim.tui.widgets import BoardWidget, Choices
from tests.support.random_games import WILD
from tests.support.scripted_chance import ScriptedChance
from tests.support.simple_odds import simple_chance
from tests.unit.tui.still import still
from tests.unit.tui.tables import TEAMS, Told, at_screen, players, session, settled, shown, until

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "matches.md"


def matches(rules=None, seeds=range(12), a="uniform", b="greedy"):
    """Yield the game and the events of whole matches."""
    for seed in seeds:
        game = PigglesClassic(rules=PigglesRules.from_mapping(rules or {}))
        events = []
        play(
            game,
            agents=players(a, b),
            chance=simple_chance(seed=seed),
            seed=seed,
            teams=TEAMS,
            on_event=events.append,
        )
        yield game, events


@pytest.mark.parametrize("delay", ["one_full_turn", "owner_turn", "none"])
def test_what_is_in_the_mud_comes_back_in_the_stated_round(delay):
    promised = 0
    for game, events in matches({"mud_delay": delay}, seeds=range(8), b="uniform"):
        view = make_view(game)
        for now, event in enumerate(events):
            if isinstance(event.entry, Decision) and event.after.result is not None:
                continue
            for area in view.areas(event.after):
                if area.name != "Mud":
                    continue
                for seat in BOARD_SEATS:
                    for piggles, number in re.findall(r"((?:\w\d )+)→r(\d+)", area.content[seat]):
                        for piggle in piggles.split():
                            assert back_in(events[now:], seat, piggle) == int(number)
                            promised += 1
    assert promised > 100


def back_in(events, seat, piggle):
    """Return the round in which a Piggle has left the Mud."""
    for event in events:
        if piggle not in event.after.side(seat).mud_piggles:
            return event.after.round
    raise AssertionError(f"{piggle} never comes back")


def test_points_by_round_are_those_of_the_match():
    for game, events in matches(seeds=range(6)):
        view = make_view(game)
        points = view.points(events)
        assert view.columns(events[-1].after) == [str(number) for number in range(1, 7)]
        for event in events:
            if event.after.round > event.before.round:
                for seat in BOARD_SEATS:
                    number = str(event.before.round)
                    assert points[number, seat] == event.after.side(seat).score


def test_the_rules_show_what_this_table_has_changed():
    assert "House rules" not in make_view(PigglesClassic()).rules
    other = PigglesClassic(rules=PigglesRules.from_mapping({"mud_delay": "none", "rounds": 4}))
    assert "`rounds=4 mud_delay=none`" in make_view(other).rules


def test_a_knock_is_described_with_what_it_changed():
    own = session(b="human")
    game, view = own.game, make_view(own.game)
    own.decide(game.parse_action("load A1 A2"))
    up = Landing(orientation=Orientation.SNOUT_UP, zone=Zone.FIELD_SOUTH)
    off = Landing(orientation=None, zone=Zone.OFF)
    head = Landing(orientation=Orientation.ON_THEIR_HEAD, zone=Zone.WOODS)
    state = game.apply_outcome(own.state, RollResult(landings=(("A1", up), ("A2", up))))
    state = game.apply_action(state, game.parse_action("load B1"))
    knocks = tuple(
        Knock(struck=p, by="B1", distance=0.02, angle=0.5, flipped=True, zone_changed=True,
              off_board=p == "A2")
        for p in ("A1", "A2")
    )  # fmt: skip
    result = RollResult(landings=(("B1", up), ("A1", head), ("A2", off)), knocks=knocks)
    entry = MatchOutcome(index=1, thrower=Seat.B, piggles=("B1",), result=result)
    after = game.apply_outcome(state, result)
    lines = [line.text for line in view.story(MatchEvent(entry=entry, before=state, after=after))]
    assert "Landed: B1 ▲ field S" in lines
    assert "B1 knocked A1 by 20 mm, 29°: turned from ▲ to ◆ On-Their-Head, now woods" in lines
    assert "B1 knocked A2 by 20 mm, 29°: off the board" in lines
    assert "Off the board, into the Mud of A (South): A2" in lines
    assert "Tally of B (North): 0 + 3 (B1 3) + 1 knocked into the Mud = 4" in lines
    assert "Resolve: A1 ◆ to the Kitchen; B1 ▲ to stay and pay again" in lines
    assert "B (North) +2 for knocking over A1" in lines


def test_resolve_names_only_piggles_that_pay_and_the_cost_of_the_kitchen_separately():
    rules = {"mud_bonus": "off_board", "final_penalty": True, "rounds": 1}
    game = PigglesClassic(rules=PigglesRules.from_mapping(rules))
    up, down, head = (Landing(orientation=pose, zone=Zone.WOODS) for pose in Orientation)
    state = game.apply_action(game.initial_state(), game.parse_action("load A1 A2 A3"))
    landings = (("A1", up), ("A2", up), ("A3", up))
    state = game.apply_outcome(state, RollResult(landings=landings))
    state = game.apply_action(state, game.parse_action("load B1"))
    knocks = tuple(
        Knock(struck=p, by="B1", distance=0.02, angle=2.0, flipped=True, zone_changed=False,
              off_board=False)
        for p in ("A1", "A2")
    )  # fmt: skip
    landings = (("B1", head), ("A1", head), ("A2", down), ("A3", up))
    result = RollResult(landings=landings, knocks=knocks)
    entry = MatchOutcome(index=1, thrower=Seat.B, piggles=("B1",), result=result)
    event = MatchEvent(entry=entry, before=state, after=game.apply_outcome(state, result))
    lines = [line.text for line in make_view(game).story(event)]
    assert [line for line in lines if " for " in line] == [
        "A (South) -1 for the Kitchen",
        "B (North) +2 for knocking over A1",
        "B (North) -1 for the Kitchen",
    ]


def test_every_end_has_its_sentence():
    ends = set()
    for game, events in matches({"rounds": 1}, seeds=range(60), a="uniform", b="uniform"):
        view = make_view(game)
        for event in events:
            if isinstance(event.entry, Decision):
                assert view.heading(event.before).endswith(view.names[event.entry.seat])
        last = view.story(events[-1])[-1]
        assert last.tone is Tone.END
        result = game.result(events[-1].after)
        who = {"A": "A (South) wins", "B": "B (North) wins", None: "The match is drawn"}
        assert last.text.startswith(who[result.winner])
        ends.add(result.reason)
    assert {"score", "sudden_snout_up"} <= ends


def test_the_picture_on_the_page_is_the_screen():
    assert still() in PAGE.read_text()


RARE = ("orange+across", "red+cw", "red+ccw", "green+cw_spiral", "green+ccw_spiral", "blue+split")
WEST, EAST, NORTH, SOUTH = Zone.FIELD_WEST, Zone.FIELD_EAST, Zone.FIELD_NORTH, Zone.FIELD_SOUTH


def modern(**settings):
    return PigglesModern.from_settings(settings)


def rolled(**zones):
    """Return a roll of Piggles that land Snout-Up, by id."""
    up = Orientation.SNOUT_UP
    return RollResult(
        landings=tuple((piggle, Landing(orientation=up, zone=at)) for piggle, at in zones.items())
    )


TRUE = {
    r"(\w\d) .* to the (Mud|Kitchen) of (\w)( \(\+(\d)\))?$": "removed",
    r"(\w\d) .*rolled again$": "rolled",
    r"(\w\d) .*: it stays in the next roll": "shielded",
    r"(\w\d) .*Snout-(Up|Down)$": "turned",
    r"(\w\d) from the (Mud|Kitchen) to the (Pen|Mud) of (\w)$": "moved",
    r"(\w\d) from the (Mud|Pen) to field (\w)$": "put",
}


def test_the_description_of_an_effect_is_what_comes_of_it():
    seen, changes = set(), 0
    # Seeds 60 and 75 are among the few in which a spiral finds something to move.
    for seed in (*range(14), 60, 75):
        game = modern(team_b=RARE) if seed % 2 else modern(team_a=RARE, target_scope="any")
        view, events = make_view(game), []
        play(
            game,
            agents=players("uniform", "uniform"),
            chance=TabularChance(seed=seed, odds=WILD),
            seed=seed,
            on_event=events.append,
        )
        said = dict.fromkeys(BOARD_SEATS, 0)
        for number, event in enumerate(events):
            lines = view.story(event)
            for line in lines:
                if line.tone is Tone.SCORE:
                    changes += 1
                    if tally := re.match(r"Tally of (\w) .*: .* = (\d+)", line.text):
                        said[Seat(tally[1])] = int(tally[2])
                    else:
                        change = re.match(r"(\w) \(\w+\) ([+-]\d+) for", line.text)
                        said[Seat(change[1])] += int(change[2])
            assert said == game.scores(event.after)
            entry = event.entry
            if isinstance(entry, Decision) and entry.action.startswith("act"):
                act, sentence = game.parse_action(entry.action), lines[0].text
                assert sentence.startswith(
                    f"{act.piggle} ({view.marks(event.before)[act.piggle].words}) "
                )
                seen.add(check(sentence.split(") ", 1)[1], act, events[number:]))
    assert seen == set(TRUE.values())
    assert changes > 100


def check(sentence, act, events):
    """Check one sentence against the states, and return of what kind it is."""
    before, now = events[0].before, events[0].after
    kind, match = next(
        (kind, found)
        for pattern, kind in TRUE.items()
        if (found := re.search(pattern, sentence)) and found[1] == act.target
    )
    lay = before.landing(act.target)
    assert lay is None or ZONE_NAMES[lay.zone] in sentence

    def holds(state, area, seat):
        side = state.side(Seat(seat))
        areas = {"Pen": side.pen, "Mud": side.mud_piggles, "Kitchen": side.kitchen}
        return act.target in areas[area]

    if kind == "removed":
        assert holds(now, match[2], match[3])
        # Without a Tally yet, what it pays is booked beside the score.
        if now.phase is PigglesPhase.ACTION_REACTION and now.active is before.active:
            was, own = before.side(before.active), now.side(before.active)
            paid = own.mud_bonuses - was.mud_bonuses
            assert paid + 2 * (own.kitchen_bonuses - was.kitchen_bonuses) == int(match[5] or 0)
    elif kind == "rolled":
        assert act.target in events[1].entry.piggles
    elif kind == "shielded":
        # After the last turn of all there is no roll that a shield could wait for.
        over = now.result is not None or now.phase is PigglesPhase.SUDDEN
        assert over or act.target in {shield.piggle for shield in now.shields}
    elif kind == "moved":
        assert holds(before, match[2], match[4])
        # A Recoup may already have brought on what was demoted.
        assert holds(now, "Pen", match[4]) or holds(now, match[3], match[4])
    else:
        landing = dict(events[1].entry.result.landings)[act.target]
        if kind == "turned":
            assert landing.orientation.label.endswith(match[2])
        else:
            assert landing.zone in {Zone(f"field:{match[3]}"), Zone.OFF}
    return kind


SIX_UP = rolled(A1=SOUTH, A2=SOUTH, A3=SOUTH, A4=SOUTH, A5=SOUTH, A6=SOUTH)
ONTO = rolled(B1=NORTH, B2=WEST, B3=EAST, B4=WEST, B5=SOUTH, B6=EAST)
CHOICES = (SIX_UP, replace(ONTO, landings=(*ONTO.landings, *SIX_UP.landings)))


def acting(path, **more):
    """Return a setting in which B, a person, may let its Piggles act."""
    game = modern()
    table = session(path, game=game, chance=ScriptedChance(CHOICES), b="human", **more)
    for move in ("load A1 A2 A3 A4 A5 A6", "done", "load B1 B2 B3 B4 B5 B6"):
        while not table.awaited:
            table.play(table.next_event())
        table.decide(game.parse_action(move))
    table.play(table.next_event())
    assert table.awaited is Seat.B
    return table


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (160, 50)])
def test_targets_are_chosen_by_key_and_by_mouse_and_seen_on_the_board(tmp_path, size):
    session = acting(tmp_path / "m.jsonl")

    async def script(app, pilot):
        choices, board = app.query_one(Choices), app.query_one(BoardWidget)
        menu = app.query_one(OptionList)
        assert not app.query_one("#chips").display
        assert menu.region.bottom < size[1]
        assert menu.region.height >= 3
        await pilot.press("2")
        await pilot.pause()
        lit = {token.name: "".join(token.lit) for token in board.tokens if token.lit}
        assert lit == dict(zip(choices.marked, ("()", "[]"), strict=True))
        drawn = "".join(board.render_line(y).text for y in range(board.size.height))
        assert f"[{choices.marked[1]}▲]" in drawn
        await pilot.press("down", "down", "up")
        assert choices.action == session.game.legal_actions(session.state)[2]
        # A click on a Piggle marks what can be done to it, and again the next such thing.
        target = next(token for token in board.tokens if token.name == "B3")
        x = round((target.position[0] / 0.3302 + 0.5) * board.size.width)
        y = int((0.5 - target.position[1] / 0.3302) * board.size.width / 2)
        picked = []
        for _ in range(2):
            await pilot.click(BoardWidget, offset=(x, y))
            await pilot.pause()
            picked.append(choices.action)
        assert all("B3" in (act.piggle, act.target) for act in picked)
        assert picked[0] != picked[1]
        await pilot.press("enter")
        await settled(app, pilot)
        assert session.events[-1].entry.action == session.game.format_action(picked[1])
        footer = {one.binding.description for one in app.screen.active_bindings.values()}
        assert {"Do it", "Done"} <= footer
        assert not {"All", "Roll", "Skip"} & footer
        await pilot.press("a", "s")
        await pilot.pause()
        assert session.events[-1].entry.action != "done"
        await pilot.press("d")
        await settled(app, pilot)
        own = [entry.action for entry in session.record().decisions if entry.seat is Seat.A]
        passed = own[own.index("done") + 1 :]
        assert set(passed) == {"skip"}, "the Pen is empty from then on"
        assert session.over

    at_screen(session, script, size=size)


def test_an_effect_of_the_other_side_is_pointed_out_before_it_is_carried_out(tmp_path):
    table = acting(tmp_path / "m.jsonl", speed=1.0)
    game = table.game

    table.agents[Seat.B] = Told(lambda _: game.parse_action("act B1 B3"))

    async def script(app, pilot):
        await until(pilot, lambda: app._next is not None)
        board = app.query_one(BoardWidget)
        assert {token.name for token in board.tokens if token.lit} == {"B1", "B3"}
        assert "B3 in field E to the Kitchen of B" in " ".join(shown(app, "log").split())
        assert "B3" in table.state.b.kitchen
        await pilot.press("q")

    at_screen(table, script, settle=False)


def test_a_shielded_piggle_that_is_caught_changes_sides_on_the_screen(tmp_path):
    shield = rolled(A1=SOUTH, A6=SOUTH)
    game, off = modern(), Landing(orientation=None, zone=Zone.OFF)
    knock = Knock(
        struck="A1", by="B1", distance=0.1, angle=0.0, flipped=False, zone_changed=True,
        off_board=True,
    )  # fmt: skip
    landings = (*rolled(B1=NORTH).landings, ("A1", off), shield.landings[1])
    chance = ScriptedChance((shield, RollResult(landings=landings, knocks=(knock,))))
    table = session(tmp_path / "m.jsonl", game=game, chance=chance, b="human")

    async def script(app, pilot):
        for action in ("load A1 A6", "act A6 A1", "load B1"):
            app._decide(game.parse_action(action))
            await settled(app, pilot)
            if action == "act A6 A1":
                board = app.query_one(BoardWidget)
                assert "A1▲#" in "".join(token.name + token.mark for token in board.tokens)
        log = " ".join(shown(app, "log").split())
        assert "Knocked under a shield, now in the Pen of A (South): A1" in log

    at_screen(table, script)
