"""Settings of house rules in words, for a list to choose from."""

from collections.abc import Mapping

from pigglesim.render.palette import SIDES

SETTING_WORDS: Mapping[str, Mapping[str, str]] = {
    # Piggles
    "first_player": {str(seat): name for seat, name in SIDES.items()},
    "mud_delay": {
        "one_full_turn": "two rounds later",
        "owner_turn": "after a turn of its owner without it",
        "none": "at the next Recoup",
    },
    "exhaustion": {
        "round_start": "before the round",
        "before_recoup": "before the player's Recoup",
        "after_recoup": "after the player's Recoup",
        "off": "never",
    },
    "bonus_scope": {"opponent_only": "the other player", "any": "either player"},
    "mud_bonus": {"at_resolve": "both", "off_board": "only off the board"},
    "kitchen_bonus_classic": {"at_resolve": "yes, at Resolve", "off": "no"},
    "kitchen_penalty": {"each_turn": "every turn", "once": "once"},
    "line_rule": {
        "footprint": "all that touches the board",
        "contact_centroid": "the middle of what touches",
        "com": "the centre of mass",
    },
    "off_board": {"mud": "to the Mud", "kitchen": "to the Kitchen", "reroll": "back to the cup"},
    "cocked": {"classify": "read as it rests", "nudge": "nudged", "reroll": "rolled again"},
    "sudden_board": {"cleared": "cleared", "as_it_lies": "as it is"},
    "sudden_rolls": {"alternate": "one after the other", "together": "both from one cup"},
    "sudden_off_board": {"reroll": "rolled again", "worst": "below all others"},
    "sudden_available": {
        "pen_or_mud": "those in the Pen or the Mud",
        "pen_mud_or_board": "those on the board too",
    },
    "sudden_choice": {"player": "the player's choice", "first": "the first available"},
    # Modern
    "actors": {"rolled": "those just rolled", "all_own_up": "all of the player's"},
    "left": {
        "clockwise": "the next one clockwise",
        "counterclockwise": "the next one counterclockwise",
        "player_view": "the one at the player's left hand",
    },
    "target_scope": {"any": "either player", "opponent_only": "the other player"},
    "blue_mode": {"cup": "rolled from the cup", "drop_in_place": "dropped in place"},
    "green_window": {"previous_turn": "this round or the last", "any": "any round"},
    "green_owner": {"own": "the player's own", "any": "either player's"},
    "green_clock": {"keep": "keeps its date", "restart": "gets a new date"},
    "shield_until": {
        "reaction": "after the next roll and its Reaction",
        "roll": "after the next roll",
        "turn": "after the next turn",
    },
    "capture": {"permanent": "for good", "return": "until it leaves the board"},
    "rune9_pose": {"down": "Snout-Down", "up": "Snout-Up"},
    "rune78_scope": {"own": "the player's own", "any": "either player's"},
    # Lord of the P.I.G.S.
    "minus_choice": {
        "latest": "the latest card",
        "earliest": "the earliest card",
        "marker": "an added vote first",
    },
    "share_amount": {"nominal": "the printed change", "actual": "the real change"},
    "share_clamp": {"together": "once, after all", "after_effect": "after each"},
    "uprising_tie": {"fall_through": "the check for 10 decides", "continue": "the game goes on"},
    "series": {"off": "one game", "regular": "a regular set", "competitive": "a competitive set"},
    # Pig Pile
    "draw_to": {"one": "one card", "four": "up to four in hand"},
    # Piggyback
    "start": {"roll": "the higher roll", "red": "always Red", "blue": "always Blue"},
    "merge_rule": {"fr": "never with two abilities", "en": "with two abilities together"},
    "warp_scope": {"holder": "the holder and another", "any": "any two friends"},
    # Piggy Six
    "end": {"equal_turns": "the round is completed", "race": "at once"},
    "tie": {"share": "they win together", "extra_round": "another round"},
    "dice_choice": {"per_roll": "for each roll", "per_turn": "for the whole turn"},
    "order": {"human_first": "first", "human_last": "last"},
    "cocked_dice": {"reroll": "rolled again", "nearest": "read by the nearest face"},
}
"""Words for each setting, by the name of the house rule; others are shown by their own names."""
