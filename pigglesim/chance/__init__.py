"""Answers to a roll request."""
