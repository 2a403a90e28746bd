"""The rules of Pig Pile: get rid of all cards, on the table and face down, before the others."""
