"""How fast throws and matches are, beside the plain way of doing the same, in one run."""
