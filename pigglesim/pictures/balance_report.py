"""The report of a balance study: one page that holds everything, and its pictures as files."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pigglesim.balance.findings import KINDS, Findings
from pigglesim.pictures.balance_course import draw_effects, draw_rounds
from pigglesim.pictures.balance_tables import effect_panels, tables_of
from pigglesim.pictures.balance_values import draw_kinds, draw_seats, draw_values
from pigglesim.pictures.page import PagePicture, Section, render_page, write_page


def write_balance_report(
    folder: Path, *, findings: Findings, metadata: Mapping[str, Any]
) -> list[Path]:
    """Write `report.html` and `pictures/*.png` and `*.svg`; the same study gives the same bytes.

    Args:
        folder: Of the study; it exists.
        findings: What it says, of at least one trial.
        metadata: Everything that its numbers depend on; `title` heads the page.

    Returns:
        What was written, the page first.

    Raises:
        SpecError: If the folder cannot be written.
    """
    pictures = list(_pictures(findings))
    page = render_page(
        title=str(metadata["title"]),
        summary=f"{findings.matches:,} matches · intervals hold {findings.level:.0%}",
        sections=list(_sections(findings, pictures)),
        metadata=metadata,
    )
    return write_page(folder, page, pictures)


_REMARKS = {
    "seats": "Both players have the same team and play alike; draws count as half a win.",
    "values": (
        "In pairs of matches with the same dice the teams are exchanged, so that equal teams "
        "differ by nothing. One in a random team: teams are drawn Piggle by Piggle, and one "
        "regression tells all kinds at once, each against a Piggle without a rune. A whole team: "
        "six of one colour (with runes 1 to 4) or of one rune (of any colours) against six "
        "without runes. Premium Piggles replace plain ones of the standard team. "
        "Of many intervals of 95 % one in twenty misses: one shade among twenty is no news."
    ),
    "course": "Matches of equal standard teams.",
    "effects": (
        "An effect lapses where nobody lies where its Piggle points, or where the player lets it "
        "go by. Points from effects are the bonuses that they pay at once; what they bring onto "
        "or take off the board counts with the zones."
    ),
}
_HEADINGS = {
    "seats": "What it is worth to begin",
    "values": "What a Piggle is worth",
    "course": "How a match goes",
    "effects": "What effects do",
}


def _pictures(findings: Findings) -> Iterator[PagePicture]:
    level = findings.level
    known = [each for each in findings.found if each.course is not None]
    if known:
        yield PagePicture(
            section="seats", name="seats", title="What it is worth to begin",
            figure=draw_seats(known, level=level),
        )  # fmt: skip
        yield PagePicture(
            section="course", name="rounds", title="Mean scores after each round",
            figure=draw_rounds(known, level=level),
        )  # fmt: skip
    for game in dict.fromkeys(each.game for each in findings.found):
        own = [each for each in findings.found if each.game == game]
        if any(each.points_of or each.comparisons for each in own):
            yield PagePicture(
                section="values", name=f"values-{game}",
                title=f"What a Piggle is worth in {game}", figure=draw_values(own, level=level),
            )  # fmt: skip
    for number, each in enumerate(findings.found):
        # Fewer trials than kinds tell nothing of any.
        if each.points_of is not None and each.points_of.trials > len(KINDS):
            yield PagePicture(
                section="values", name=f"kinds-{number}",
                title=f"What each colour is worth with each direction, by {each.agent}",
                figure=draw_kinds(each, level=level),
            )  # fmt: skip
    panels = [panel for each in findings.found for panel in effect_panels(each)]
    if panels:
        yield PagePicture(
            section="effects", name="effects", title="What becomes of an effect",
            figure=draw_effects(panels, level=level),
        )  # fmt: skip


def _sections(findings: Findings, pictures: Sequence[PagePicture]) -> Iterator[Section]:
    for name, own in tables_of(findings):
        held = [table for table in own if table.rows]
        mine = [picture for picture in pictures if picture.section == name]
        if held or mine:
            yield Section(
                name=name, heading=_HEADINGS[name], remark=_REMARKS[name], pictures=mine,
                tables=held,
            )  # fmt: skip
