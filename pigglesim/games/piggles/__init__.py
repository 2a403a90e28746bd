"""Piggles, Classic and Modern."""
