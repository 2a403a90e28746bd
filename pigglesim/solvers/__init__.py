"""Exact play: push-your-luck dice games, solved to a proven bound."""
