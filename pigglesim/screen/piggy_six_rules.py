"""The rules of Piggy Six in brief, as the house rules have them."""

from pigglesim.games.piggy_six.house_rules import DiceChoice, Ending, HouseRules, Tie

__all__ = ["rules_page"]


def rules_page(rules: HouseRules) -> str:
    """Return the rules in Markdown, to be read within a minute.

    Args:
        rules: The house rules in force.
    """
    parts = [
        "# Piggy Six\n",
        "In your turn roll, and roll again as often as you dare: what the dice show adds up. Stop, "
        "and the sum of the turn is written down for good.\n",
        "- **One six** ends the turn, and it brings nothing.\n"
        "- **Two sixes** end the turn, and all points that you have are lost.\n",
        _dice(rules),
        _end(rules),
    ]
    if rules.solitaire:
        parts.append(
            "You play alone against two imaginary players. They roll by themselves and stop at "
            f"{rules.bot_stop_1} and {rules.bot_stop_2} points a turn, or better.\n"
        )
    parts.append(
        "A turn has at least one roll.\n" if rules.must_roll else "You may pass without a roll.\n"
    )
    return "\n".join(parts)


def _dice(rules: HouseRules) -> str:
    if not rules.three_dice:
        return "There are **two dice**.\n"
    when = "each roll" if rules.dice_choice is DiceChoice.PER_ROLL else "each turn"
    return (
        f"For {when} choose **one die, two or three**: any six ends the turn, two or three sixes "
        "take all. One die alone can never do that.\n"
    )


def _end(rules: HouseRules) -> str:
    if rules.end is Ending.RACE:
        return f"Who has **{rules.target}** points first wins at once.\n"
    tie = "a tie is shared" if rules.tie is Tie.SHARE else "after a tie everybody has one more turn"
    return (
        f"When somebody has **{rules.target}** points the round is completed, so that all have had "
        f"as many turns. Most points win; {tie}.\n"
    )
