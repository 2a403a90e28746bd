"""`pigglesim roll`: throw a cup onto the board and report the landings.

Heavy modules are imported only when needed, so that help and completion are quick.
"""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pigglesim.cli import options
from pigglesim.cli.consoles import print_json, progress_console, result_console
from pigglesim.cli.drawing import DRAWN_INSTEAD, DrawFlags, ViewOption, watch
from pigglesim.cli.flags import ARGUMENT, Flag, same_command
from pigglesim.cli.spelling import print_in_ascii
from pigglesim.errors import SpecError
from pigglesim.landing import MAX_HAND_ERROR, MAX_SWING
from pigglesim.units import INCHES

if TYPE_CHECKING:
    from pigglesim.api.roll import Roll
    from pigglesim.experiments.decided import DecidedThrow
    from pigglesim.films.film import Film
    from pigglesim.scene.scene import Scene


_OUTPUT_FLAGS = {
    "film", "png", "video", "size", "fps", "camera", "slow_motion", "at", "view", "as_json",
    "glb", "html", "svg", "ascii_only", "force",
}  # fmt: skip
"""Flags that do not affect the roll."""
_LENGTH = Flag(metavar="LENGTH")


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldFlags:
    """Flags for the position of the cup."""

    across: Annotated[
        float | None, _LENGTH, INCHES, "Offset to the thrower's right. Default: the scene's. [in]"
    ] = None
    back: Annotated[
        float | None, _LENGTH, INCHES, "Distance behind the centre. Default: the scene's. [in]"
    ] = None
    height: Annotated[
        float | None, _LENGTH, INCHES, "Height, 2 or more. Default: the scene's. [in]"
    ] = None
    heading: Annotated[
        float | None,
        Flag(low=-60.0, high=60.0),
        "Direction of the throw, to the right of straight ahead. Default: the scene's. [deg]",
    ] = None
    swing: Annotated[
        float | None,
        Flag(low=0.0, high=MAX_SWING),
        "Greatest speed of the cup while it is tipped. Default: the scene's. [m/s]",
    ] = None


def roll(
    context: typer.Context,
    *,
    dice: Annotated[
        list[str] | None,
        ARGUMENT,
        options.DICE,
        "Number of Piggles in the cup, 1 to 6, or models, such as d20 2d6. Default: 6.",
    ] = None,
    scene: options.Scene = "piggles_classic",
    model: Annotated[
        str | None,
        options.MODEL,
        "Model of all Piggles, or one each, separated by commas. Default: the scene's.",
    ] = None,
    seat: options.Seat = "A",
    seed: options.Seed = None,
    engine: options.Engine = None,
    hold: HoldFlags,
    onto: Annotated[Path | None, "Roll saved with --json, to roll onto."] = None,
    start: Annotated[
        str | None,
        Flag(metavar="START"),
        "Start drawn by a page, as in its address after #start=. It replaces the seed's.",
    ] = None,
    rules: options.RuleFlags,
    decided: Annotated[
        bool, "Show when each orientation was decided. The engine is impulse unless given."
    ] = False,
    hand_error: Annotated[
        float,
        Flag(low=0.0, high=MAX_HAND_ERROR, needs=("decided",)),
        "Uncertainty of a look, as a multiple of that of a hand.",
    ] = 1.0,
    film: Annotated[Path | None, "Film of every step, a .film file."] = None,
    view: ViewOption = False,
    draw: DrawFlags,
    force: options.Force = False,
    ascii_only: options.Ascii = False,
    as_json: options.Json = False,
) -> None:
    """Throw a cup of Piggles onto the board and read how they land.

    Lengths are in inches unless they have a unit of their own: `--height 4`, `--height 100mm`.

    `--decided` shows the bits of information about each orientation that a look leaves open: when
    the Piggle leaves the cup, and after each bounce. A look shows the Piggle as exactly as a hand
    sets it: to 1 mm, 2 degrees, 2 % of its speed and 5 % of its spin.

    Examples:
        pigglesim roll
        pigglesim roll 1 --seed 7 --decided
        pigglesim roll 3 --seat B --seed 7
        pigglesim roll d20 2d6
        pigglesim roll --model premium --json
        pigglesim roll --seed 7 --html roll.html --glb roll.glb --svg roll.svg
        pigglesim roll 2 --seed 1 --json > first.json; pigglesim roll --onto first.json --seat B
        pigglesim roll --seed 7 --png roll.png --video roll.mp4 --slow-motion 4
        pigglesim roll --seed 7 --film seven.film
        pigglesim roll --view
    """
    from pigglesim.api.roll import prepare, read_layout
    from pigglesim.scene.load import load_scene

    print_in_ascii(ascii_only)
    if film is not None:
        from pigglesim.durable_io import expect_new, expect_suffix, expect_writable
        from pigglesim.films.codec import SUFFIX

        # Check before the roll, not after it.
        expect_suffix(film, (SUFFIX,))
        expect_writable(film)
        expect_new(film, overwrite=force)
    loaded = load_scene(scene)
    standing, standing_models = read_layout(onto) if onto else ((), {})
    piggles, models = _cupful(dice or [], options.list_of(model))
    prepared = prepare(
        piggles,
        scene=scene,
        models=models,
        seat=seat,
        seed=0 if start is not None and seed is None else options.chosen_seed(seed),
        engine=engine or (options.chosen_fast_engine(None) if decided else None),
        aim=asdict(hold),
        standing=standing,
        standing_models=standing_models,
        house_rules=rules.table(),
        start=start,
    )
    draw.check(view=view)
    with progress_console().status(f"pouring {len(prepared.request.piggles)} ..."):
        chance = prepared.chance
        # The page of a roll throws with engine impulse, whichever engine made the roll.
        command, throw_command = (
            same_command(
                context,
                settled={"seed": chance.seed, "engine": engine_name},
                without=_OUTPUT_FLAGS,
            )
            for engine_name in (chance.engine.name, "impulse")
        )
        rolled = prepared.roll(command=command, throw_command=throw_command)
    if film is not None:
        from pigglesim.films.codec import write_film

        write_film(rolled.film, film)
    draw.draw([rolled.film], loaded)
    draw.share_roll(rolled)
    decisions = {}
    if decided:
        from pigglesim.cli.progress import Work

        with Work("Piggles", "throwing copies") as work:
            decisions = rolled.decided(hand_error=hand_error, progress=work.update)
    if as_json:
        added = {name: each.document() for name, each in decisions.items()}
        print_json(rolled.document() | ({"decided": added} if decided else {}))
    else:
        _show(loaded, rolled, film)
        _show_decisions(decisions)
    if view:
        _watch(rolled.film, loaded, rolled.seed)


def _show_decisions(decisions: "dict[str, DecidedThrow]") -> None:
    """Print the bits left and the times from which the orientations were certain."""
    if not decisions:
        return
    from pigglesim.cli.consoles import word_table
    from pigglesim.experiments.decided import COPIES, LEVELS, bits_error

    table = word_table(
        "Piggle", "orientation", "bits left",
        *(f">{level:.0%} certain".replace("%", " %") for level in LEVELS), ">rest",
    )  # fmt: skip
    for name, decision in decisions.items():
        table.add_row(
            name,
            decision.outcome,
            " ".join(f"{look.bits.value:.2f}" for look in decision.after_bounces()),
            *(f"{decision.certain_from(level).time:.2f} s" for level in LEVELS),
            f"{decision.end:.2f} s",
        )
    result_console().print(table)
    known = max(bits_error(len(each.outcomes), COPIES) for each in decisions.values())
    result_console().print(
        f"bits left: out of the cup, and after each bounce, each known to about {known:.1f} · "
        f"{COPIES} copies per look, alone on an endless board · --json has all, with intervals",
        style="dim",
    )


def _cupful(words: Sequence[str], models: list[str]) -> tuple[int | None, list[str]]:
    """Return the number of dice in the cup, None if it is left open, and their models."""
    if not words:
        return None, models
    if len(words) == 1 and words[0].isdecimal():
        return int(words[0][:9]), models
    if models:
        raise SpecError(
            f"models {' '.join(words)} and --model {','.join(models)}",
            fix="name the models once",
        )
    for word in words:
        several = re.fullmatch(r"([1-9]\d?)(d\d+)", word)
        models += [several[2]] * int(several[1]) if several else [word]
    return len(models), models


def _watch(film: "Film", scene: "Scene", seed: int) -> None:
    """Show the roll in a window."""
    from pigglesim.render.viewer import Clip, Playlist

    rolled = " ".join(actor.name for actor in film.actors if not actor.standing)
    clip = Clip(film=film, title=f"{rolled} rolled", story=(f"seed {seed}",))
    watch(Playlist(iter([clip])), scene, title=f"seed {seed}", instead=DRAWN_INSTEAD)


def _show(scene: "Scene", rolled: "Roll", film: Path | None) -> None:
    """Print the board, the Piggles knocked or gone, the result and the inputs of a roll."""
    from pigglesim.landing import Zone
    from pigglesim.tui.board_text import board_view

    console, request, result = result_console(), rolled.request, rolled.result
    on_board = [(name, at) for name, at in result.landings if at.zone is not Zone.OFF]
    off = [name for name, at in result.landings if at.zone is Zone.OFF]
    names = {name: model for name, model in rolled.models.items() if name not in rolled.points}
    console.print(
        board_view(scene.board, on_board, width=console.width, marked=request.piggles, worn=names)
    )
    for knock in result.knocks:
        from pigglesim.table.view import knock_sentence

        console.print(knock_sentence(knock, dict(request.standing), dict(result.landings)))
    if off:
        console.print(f"off the board: {', '.join(off)}")
    assert result.settle is not None
    ending = f"{result.settle.status.sentence} after {result.settle.time:.2f} s"
    film_note = "" if film is None else f" · filmed: pigglesim film {film}"
    drawn = "start given" if "start" in rolled.provenance else f"seed {rolled.seed}"
    console.print(f"{ending} · {drawn}{film_note}", style="dim", soft_wrap=True)
