"""The picture of a tournament: what reaches the axes, and that odd tournaments are drawn too."""

from pigglesim.render.match_charts import draw_ratings
from pigglesim.tournaments.standings import standings
from pigglesim.tournaments.tournament import MatchResult, Pair, Tournament

CUP = Tournament(agents=("uniform", "greedy", "threshold:4"), seed=1)


def pair(index, one, other):
    meeting = CUP.meeting(index)
    told = [
        MatchResult(points=points, reason="score", scores=(9, 8), decisions=12)
        for points in (one, other)
    ]
    return Pair(
        index=index,
        first=meeting.first,
        second=meeting.second,
        seed=meeting.seed,
        matches=(told[0], told[1]),
    )


def test_dots_and_whiskers_are_the_numbers_that_are_told():
    pairs = [pair(index, float(index % 2), 0.5 * (index % 3)) for index in range(30)]
    found = standings(CUP, pairs)
    figure = draw_ratings(found, game="Classic", level=0.95)
    above, below = figure.axes
    for axes, told in (
        (above, [each.elo for each in found.agents]),
        (below, [each.share for each in found.matchups]),
    ):
        marked = [line for line in axes.lines if line.get_marker() == "o"]
        assert [line.get_xdata()[0] for line in marked] == [each.value for each in told]
        arms = [list(line.get_xdata()) for line in axes.lines if line.get_linewidth() > 2.0]
        assert arms == [[each.low, each.high] for each in told]
    assert [label.get_text() for label in above.get_yticklabels()] == [
        each.name for each in found.agents
    ]
    assert "30 pairs of matches" in " ".join(text.get_text() for text in figure.texts)
