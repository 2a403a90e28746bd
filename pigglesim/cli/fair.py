"""`pigglesim fair`: counts of your own die against equal or given shares."""

import math
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from pigglesim.cli import consoles, options
from pigglesim.cli.flags import ARGUMENT, Flag
from pigglesim.durable_io import FIGURES, check_target
from pigglesim.errors import SpecError, cut
from pigglesim.experiments.fairness import COUNT, Fairness, FairnessTest, compare_counts
from pigglesim.units import counted, percent, with_interval


def fair(
    counts: Annotated[
        list[int],
        ARGUMENT,
        Flag(metavar="COUNTS...", low=COUNT.low, high=COUNT.high),
        "Throws counted in each class.",
    ],
    shares: Annotated[
        str | None,
        Flag(metavar="SHARES"),
        "Expected shares, such as .5,.3,.2, or weights, such as 5,3,2. Default: equal shares.",
    ] = None,
    labels: Annotated[
        str | None, Flag(metavar="NAMES"), "Names of the classes, separated by commas."
    ] = None,
    level: options.Level = 0.95,
    plot: options.Plot = None,
    as_json: options.Json = False,
) -> None:
    """Test counts of a real die against equal or given shares.

    Each share has its interval. The p-value is that of the chi-square test, or of the exact
    multinomial test where a class has fewer than 5 expected throws. A small p is evidence against
    the expected shares. A large p does not prove them: the intervals show what is possible.

    Examples:
        pigglesim fair 18 25 15 17 14 31
        pigglesim fair 61 29 10 --shares .6,.3,.1 --labels up,down,head
        pigglesim fair 3 0 1 2 9 1 --plot fair.png --json
    """
    names = options.list_of(labels) or [str(number) for number in range(1, len(counts) + 1)]
    if len(names) != len(counts) or len({*names}) != len(names):
        raise SpecError(
            f"{len({*names})} different names for {len(counts)} counts",
            fix="give one name per count, in the order of the counts",
        )
    result = compare_counts(counts, _weights(shares), level=level)
    if plot is not None:
        _draw(result, names, plot)
    if as_json:
        consoles.print_json({"labels": names, "throws": sum(counts), **asdict(result)})
        return
    console = consoles.result_console()
    table = consoles.word_table("class", ">count", ">expected", ">share", ">expected share")
    for name, count, share, wanted in zip(
        names, counts, result.shares, result.expected, strict=True
    ):
        outside = "" if share.low <= wanted <= share.high else " *"
        table.add_row(
            name, f"{count:,}", f"{wanted * sum(counts):.1f}", with_interval(share),
            f"{wanted:.3f}{outside}",
        )  # fmt: skip
    console.print(table)
    console.print(f"\n{_verdict(result)}")
    console.print(
        f"{sum(counts):,} throws · {percent(level)} intervals, each for one share alone · "
        "* expected share outside",
        style="dim",
    )
    if plot is not None:
        console.print(f"drawn in {plot}", style="dim")


def _weights(text: str | None) -> list[float] | None:
    if text is None:
        return None
    weights = []
    for word in options.list_of(text):
        try:
            weight = float(word)
        except ValueError:
            weight = math.nan
        if not 0.0 < weight < math.inf:
            raise SpecError(
                f"invalid share {cut(repr(word))} in --shares",
                expected="numbers above 0",
                fix="use --shares .5,.3,.2",
            )
        weights.append(weight)
    total = sum(weights)
    # Shares may be rounded to two places.
    if max(weights) < 1.0 and abs(total - 1.0) > 0.005 * len(weights) + 1e-9:
        raise SpecError(
            f"the shares of --shares add up to {total:g}",
            expected="1, or weights such as 5,4,2",
            fix=f"divide them by {total:g}",
        )
    return weights


def _verdict(result: Fairness) -> str:
    p = f"= {result.p_value:.4f}" if result.p_value >= 1e-4 else f"= {result.p_value:.1e}"
    degrees = len(result.counts) - 1
    freedom = f", {counted(degrees, 'degree')} of freedom"
    freedom = freedom if result.test is FairnessTest.CHI_SQUARE else ""
    expected = "equal shares" if len({*result.expected}) == 1 else "the expected shares"
    strength = (
        "do not speak against"
        if result.p_value >= 0.05
        else "speak weakly against"
        if result.p_value >= 0.01
        else "speak against"
    )
    return (
        f"{result.test}: p {p}, statistic {result.statistic:.2f}{freedom}\n"
        f"The counts {strength} {expected}."
    )


def _draw(result: Fairness, names: list[str], file: Path) -> None:
    from pigglesim.render.charts import draw_fairness
    from pigglesim.render.figure import save_figure

    check_target(file, *FIGURES)
    rows = [*zip(names, result.expected, result.shares, strict=True)]
    save_figure(draw_fairness(rows, p_value=result.p_value, test=str(result.test)), file)
