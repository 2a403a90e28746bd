"""An agent of the user's own, as the text of a file."""

AGENT = """
class Mine:
    name = "mine"

    def __init__(self, game):
        pass

    def choose(self, observation, legal_actions, *, rng):
        return legal_actions[{}]
"""
"""Its class, to be formatted with the number of the legal action that it chooses."""
