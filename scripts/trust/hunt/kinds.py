"""The table of all kinds of cases, by name."""

from scripts.trust.hunt import games, page, parts, players, runs, served, throws

KINDS = {
    kind.name: kind
    for kind in (
        *throws.KINDS,
        *games.KINDS,
        *runs.KINDS,
        *parts.KINDS,
        *players.KINDS,
        *page.KINDS,
        *served.KINDS,
    )
}
