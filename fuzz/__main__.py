"""The command: `python -m fuzz` tries random cases, `python -m fuzz SEED` one of them again."""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path

from fuzz.layouts import VARIATIONS, lay_out
from fuzz.running import Run, say
from fuzz.trying import Failure, Trial, drawn, numbers_of, show, try_case


def main(arguments: Sequence[str] | None = None) -> int:
    """Try cases; 1 if one fails."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("seed", type=int, nargs="?", help="repeat this case")
    again = parser.add_argument_group("with a seed")
    again.add_argument("--layout", type=int, help="only this layout")
    again.add_argument("--vary", default=None, help=f"leave out all other variations: {','.join(VARIATIONS)}")
    again.add_argument("--columns", type=numbers_of, help="only these columns, say 0-2,5")
    again.add_argument("--rows", type=numbers_of, help="only these rows")
    fresh = parser.add_argument_group("without")
    fresh.add_argument("--seconds", type=float, default=60.0, help="how long; by default 60")
    fresh.add_argument("--comparisons", type=int, default=sys.maxsize, help="how many at most")
    fresh.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes; by default one a core")
    fresh.add_argument("--master", type=int, default=secrets.randbits(64), help="what the seeds of cases follow from")
    fresh.add_argument("--out", type=Path, help="write every failure to this file too, a line each")
    asked = parser.parse_args(arguments)
    if asked.seed is not None:
        return repeat(asked.seed, asked.layout, asked.vary, asked.columns, asked.rows)
    return Run(asked.master, asked.jobs, asked.out).go(asked.seconds, asked.comparisons)


def repeat(
    seed: int,
    layout: int | None = None,
    vary: str | None = None,
    columns: tuple[int, ...] | None = None,
    rows: tuple[int, ...] | None = None,
) -> int:
    """Try one case again, or one layout of a part of it, and show what differs; 1 if it fails."""
    only = None if vary is None else tuple(what for what in vary.split(",") if what != "nothing")
    if layout is None and columns is None and rows is None:
        failures = [failure for failure in try_case(seed) if failure is not None]
    else:
        found = Trial(drawn(seed, columns, rows)).failure(1 if layout is None else layout, only)
        failures = [] if found is None else [found]
    trial = Trial(drawn(seed, columns, rows))
    say(trial.case.describe())
    for failure in failures:
        say(str(failure))
    if failures and failures[0].fields[0] != "crash":
        _show(trial, failures[0])
    say("It fails." if failures else "It does not fail.")
    return 1 if failures else 0


def _show(trial: Trial, failure: Failure) -> None:
    """Say what the two tables and the two answers are."""
    assert trial.base is not None
    other, found = trial.answer(failure.layout, failure.varied)
    say(f"as drawn:  {show(trial.case, lay_out(trial.case, 0))}\nlaid out:  {show(trial.case, other)}")
    for name in failure.fields:
        say(f"{name}, as drawn: {trial.base.answer.get(name)}\n{name}, laid out: {found.get(name)}")


if __name__ == "__main__":
    sys.exit(main())
