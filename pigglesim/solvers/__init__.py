"""Exact play: dice games of pressing one's luck, solved to a proven bound."""
