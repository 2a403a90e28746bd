"""Matches: rules, agents and chance together, their records and replays."""
