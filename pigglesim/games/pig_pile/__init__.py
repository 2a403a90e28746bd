"""Rules of Pig Pile: play all cards, on the table and face down, before the others."""
