"""Compiled functions that pages and other machines call too."""

from pigglesim.physics.impulse.drops import run_drops as run_drops
from pigglesim.physics.impulse.looks import find_looks as find_looks
from pigglesim.physics.impulse.looks import throw_copies as throw_copies
from pigglesim.physics.impulse.pour import run_throw as run_throw
