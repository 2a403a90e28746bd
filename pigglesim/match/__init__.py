"""Matches: rules, agents and chance together, with records and replays."""
