"""The rules of each game, as pure functions over frozen state."""
