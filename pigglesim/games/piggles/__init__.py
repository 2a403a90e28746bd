"""Piggles, Classic."""
