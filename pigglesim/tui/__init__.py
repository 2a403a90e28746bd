"""A match at the screen: people and agents at one table, in a terminal."""
