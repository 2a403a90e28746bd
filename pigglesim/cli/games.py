"""`pigglesim games`: every game there is, and how it is played here."""

from pigglesim.cli.consoles import print_json, result_console, word_table
from pigglesim.cli.options import JsonOption
from pigglesim.games.registry import find, game_names, make_game


def games(as_json: JsonOption = False) -> None:
    """List the games, their players and their sources of rolls.

    Examples:
        pigglesim games
        pigglesim games --json
    """
    names = game_names()
    if as_json:
        print_json(
            [
                {
                    "game": name,
                    "title": find(name).title,
                    "brief": find(name).brief,
                    "players": find(name).players,
                    "chances": list(find(name).chances),
                    "adviser": find(name).adviser,
                    "house_rules": dict(make_game(name).settings()),
                }
                for name in names
            ]
        )
        return
    table = word_table("game", "players", "chance", "what it is")
    for name in names:
        entry = find(name)
        table.add_row(name, entry.players, ", ".join(entry.chances), entry.brief)
    result_console().print(table)
    result_console().print(
        "play one: pigglesim play GAME; watch one: pigglesim match GAME; its house rules: "
        "pigglesim games --json",
        style="dim",
    )
