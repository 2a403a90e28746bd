"""Agents against each other, many times: who is better, and how well that is known."""
