"""A hunt for faults: random cases of everything at once, each the same again from its seed."""
