"""The rules of Lord of the P.I.G.S. in a minute, as a player at this table needs them."""

from pigglesim.games.lord_of_the_pigs.house_rules import HouseRules, Series, UprisingTie
from pigglesim.games.lord_of_the_pigs.state import Event

__all__ = ["rules_page"]

_CORE = """\
**Four actors, one economy.** Each has a Rating from 0 to 10. At the end of a turn **whoever alone
has 10 wins**. But at Social Stability 0 there is an **uprising: the lowest Rating wins**{tie}.

**A turn.** The first player moves on by one{event}. Everyone draws an Action. Then, each time in
Actor order from the first player:

- **Voting**: put one card of your hand face down on one submitted Action{wars}, or none.
- **Activation**: {modes}every Action whose votes reach its threshold changes the Ratings as it
  says. It and its votes are discarded. The other Actions stay{votes}.
- **Submission**: put one Action of your hand face up on the table, or none.

**Cards.** All decks are alike: 29 cards, commons thrice, uncommons twice, rares once. What a card
says of A is for the actor before its owner, B for the one after, C for the opposite.
"""

_MODES = """\
first everyone may discard cards for their Alternate Mode: **+1 Vote** or
  **-1 Vote** on any Action. Then """

_SHARE = """
**Share Benefits.** Just before an Action is carried out, you may discard a rare that says so: your
Rating then changes as that of the actor it names, on top of your own change.
"""

_SERIES = {
    Series.REGULAR: "winner 3, second 1; after an uprising winner 2",
    Series.COMPETITIVE: "your Rating, the winner 3 more; after an uprising winner 5, others 0",
}


def rules_page(rules: HouseRules) -> str:
    """Return the rules in Markdown, and what this table has changed in them."""
    falls = rules.uprising_tie is UprisingTie.FALL_THROUGH
    page = "# Lord of the P.I.G.S. in a minute\n\n" + _CORE.format(
        tie="" if falls else ", and if it is shared nobody does",
        event=" and an Event is revealed" if rules.events else "",
        wars=" of another player" if rules.diplomacy_wars else "",
        modes=_MODES if rules.alternate_modes else "",
        votes=" with their votes" if rules.votes_persist else ", their votes do not",
    )
    if rules.alternate_modes:
        page += _SHARE
    if rules.events:
        page += "\n**Events**: ten change the game, ten are Business as usual.\n"
        page += "".join(
            f"\n- **{event.label}**: {event.text}"
            for event in Event
            if event is not Event.BUSINESS_AS_USUAL
        )
        page += "\n"
    if rules.series is not Series.OFF:
        page += f"\n**A series of {rules.series_games} games**: {_SERIES[rules.series]}.\n"
    changed = rules.to_text(changed_only=True)
    return f"{page}\n**House rules of this table**: `{changed}`\n" if changed else page
