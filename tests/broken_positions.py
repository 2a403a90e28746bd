"""What is wrong with a position, told by its game."""


def told(game, position):
    """Return the faults of a position by their rules, in order."""
    faults = game.validate(position)
    assert all("\n" not in str(fault) and fault.remedy for fault in faults)
    return [(fault.rule, f"{fault.expected}, got {fault.got}") for fault in faults]


def assert_only(game, position, rule, text):
    faults = told(game, position)
    assert [found for found, _ in faults] == [rule], faults
    assert text in faults[0][1]
