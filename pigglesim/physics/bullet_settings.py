"""The tolerances under which Bullet moves a body of 2 cm as it should, each with its reason."""

UNIT = 100.0
"""Bullet length units in a metre: worlds are built in centimetres."""
MARGIN = 1e-5 * UNIT
"""Collision margin: 10 micrometres, below every tolerance of the reading."""
REMEMBER = 5e-4 * UNIT
"""Contacts are remembered until they are this far apart, half a millimetre: a face rests on many
corners, of which each step finds one. Remembering too few, a cube sinks into the board."""
FORGET = 5e-6 * UNIT
"""But in the moving cup they are forgotten at once: a contact keeps the direction in which it was
found, and one found before the cup turned over would hold a Piggle up in it."""
PROCESSING = 5e-6 * UNIT
"""But only what touches pushes, to 5 micrometres. A contact that acts across a gap lets the body
keep the speed that closes it: at half a millimetre a fifth of a bounce is gone, and at a quarter
of the step all of it. With none at all, a body at rest rattles on the last bit of a contact."""
ERP_FLIGHT = 0.005
"""Share of an overlap that each step turns into speed while bodies fly: it adds to the bounce."""
ERP_CUP = 0.2
"""The same in the cup, where nothing should give way: at less, walls and pile squeeze a Piggle
through the wall (7 of 10,200 at .005)."""
ERP_EASE = 0.2
"""The same while bodies sink into place: it closes what overlap the flight has left."""
