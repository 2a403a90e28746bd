"""The puzzle of the day in the page: that of the terminal, answered once, explained."""

from datetime import date

import pytest

from pigglesim.table.puzzles import all_puzzles, number_of_day, puzzle_numbers, puzzle_of
from tests.unit.serve.test_pages import one_chromium, visit

__all__ = ["one_chromium", "visit"]
SIX = next(k for k in puzzle_numbers("piggy_six") if len(puzzle_of(k).options) == 2)


@pytest.fixture
def person(served):
    with served.person() as found:
        yield found


def begun(person, number=SIX):
    person.send(do="puzzle", number=number)
    opened = person.until("opened")
    return opened, person.until("state", where=lambda each: each["table"] == opened["table"])


def test_the_puzzle_of_the_day_is_that_of_the_terminal(person):
    before = number_of_day(date.today())
    opened, state = begun(person, None)
    # Midnight may pass.
    assert opened["puzzle"] in {before, number_of_day(date.today())}
    assert state["puzzle"]["number"] == opened["puzzle"]
    assert state["puzzle"]["answer"] is None
    assert len(state["choices"]) == len(puzzle_of(opened["puzzle"]).options)


@pytest.mark.parametrize("right", [True, False])
def test_a_decision_is_answered(person, right):
    opened, state = begun(person)
    puzzle = puzzle_of(SIX)
    choice = puzzle.best if right else 1 - puzzle.best
    person.send(do="decide", table=opened["table"], at=state["at"], choice=choice)
    after = person.until("state", where=lambda each: each["over"])
    answer = after["puzzle"]["answer"]
    assert answer["right"] is right
    assert [row[2] for row in answer["rows"]] == (
        ["best, yours", ""] if right else ["best", "yours"]
    )
    assert after["players"] == state["players"]
    again = person.refusal(do="decide", table=opened["table"], at=after["at"], choice=0)
    assert "not your turn" in again


def test_nothing_of_a_puzzle_is_saved_or_played_again(person, served):
    opened, state = begun(person)
    person.send(do="decide", table=opened["table"], at=state["at"], choice=0)
    person.until("state", where=lambda each: each["over"])
    person.send(do="matches")
    assert not person.until("matches")["matches"]
    assert "no rematch" in person.refusal(do="ask", table=opened["table"], at=1, word="rematch")


def test_an_unknown_number_is_refused(person):
    text = person.refusal(do="puzzle", number=len(all_puzzles()) + 1)
    assert text.startswith(f"no puzzle {len(all_puzzles()) + 1} (expected 1 to ")


@pytest.mark.slow
def test_a_puzzle_is_solved_in_the_page(served, visit):
    page = visit(served.access.owner_link)
    page.click("nav >> text=Play")
    page.click("#daily")
    page.wait_for_selector(".choices button")
    number = number_of_day(date.today())
    assert f"Puzzle {number} of {len(all_puzzles())}" in page.inner_text("#panel h2")
    page.evaluate(f"location.hash = '#/puzzle/{SIX}'")
    page.wait_for_selector(f"h2:has-text('Puzzle {SIX} of')")
    assert page.query_selector("button:has-text('Hint')") is None
    page.click(f".choices button >> nth={puzzle_of(SIX).best}")
    page.wait_for_selector(".answer .best:has-text('yours')")
    assert page.inner_text(".guide").startswith("Right: ")
    page.click("#next-puzzle")
    page.wait_for_selector(f"h2:has-text('Puzzle {SIX % len(all_puzzles()) + 1} of')")


@pytest.mark.slow
@pytest.mark.parametrize("kept", ["answered", "changed"])
def test_the_puzzle_of_the_day_shows_its_answer_after_a_reload(served, visit, kept):
    page = visit(served.access.owner_link)
    page.click("nav >> text=Play")
    page.click("#daily")
    page.click(".choices button >> nth=0")
    page.wait_for_selector(".answer")
    verdict, rows = page.inner_text(".guide"), page.inner_text(".answer")
    if kept == "changed":
        # A choice that cannot be is no answer.
        page.evaluate(
            "localStorage['pigglesim-solved'] ="
            " localStorage['pigglesim-solved'].replace('\"choice\":0', '\"choice\":\"length\"')"
        )
    page.reload()
    if kept == "changed":
        page.wait_for_selector(".choices button")
        assert page.query_selector(".answer") is None
        return
    page.wait_for_selector(".answer")
    assert page.inner_text(".guide") == f"You have answered it today. {verdict}"
    assert page.inner_text(".answer") == rows
    page.click("#next-puzzle")
    page.wait_for_selector(".choices button")
    assert "You have answered" not in page.inner_text(".guide")
