"""Scenes: materials, board, cup, and the file that describes them."""
