"""`pigglesim tally`: a list of real throws, counted into the `die.toml` of a body."""

from pathlib import Path
from typing import Annotated

from pigglesim.cli import consoles, options
from pigglesim.cli.flags import ARGUMENT, Flag, command_here
from pigglesim.errors import SpecError
from pigglesim.experiments.statistics import binomial
from pigglesim.experiments.throw_list import count_throws, outcomes_of, write_counts
from pigglesim.units import counted, with_interval


def tally(
    throws: Annotated[
        Path, ARGUMENT, Flag(metavar="THROWS.csv", suffixes=(".csv",)), "List of throws."
    ],
    die: Annotated[
        Path, ARGUMENT, Flag(metavar="DIR"), "Folder with a die.toml, as `print` writes it."
    ],
    *,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Count a list of throws into a die.toml.

    The list has one row per throw. The first row names the columns, and the column `outcome` says
    how the body came to rest, in the words of the die.toml. A list of a single column needs no
    name. All counts of the die.toml are replaced by those of the list.

    Examples:
        pigglesim print d20 --size 40mm --out my-d20
        pigglesim tally throws.csv my-d20
        pigglesim validate my-d20
    """
    file = die / "die.toml" if die.is_dir() else die
    before = outcomes_of(file)
    counts = count_throws(throws, [*before])
    if sum(before.values()) and before != counts and not force:
        raise SpecError(
            f"{file} has {counted(sum(before.values()), 'throw')} already",
            fix="use --force to replace the counts",
        )
    write_counts(file, counts)
    total = sum(counts.values())
    if as_json:
        consoles.print_json({"die": str(file), "throws": total, "counts": counts})
        return
    console = consoles.result_console()
    table = consoles.word_table("outcome", ">count", ">share")
    for label, count in counts.items():
        table.add_row(label, f"{count:,}", with_interval(binomial(count, total)))
    console.print(table)
    console.print(f"\n{counted(total, 'throw')}, written to {file}; next:")
    console.print(command_here("validate", str(die)))
