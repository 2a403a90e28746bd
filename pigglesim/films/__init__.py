"""Rolls that were watched, kept as plain values: what every player and picture of them shares."""
