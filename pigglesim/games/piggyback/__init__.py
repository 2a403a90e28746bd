"""Piggyback: stacks of units on a board, abilities to pick up, and combat with one die."""
