"""Lord of the P.I.G.S.: four actors, four decks, votes and twenty events."""
