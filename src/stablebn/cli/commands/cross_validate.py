"""`stablebn cross-validate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from stablebn.api.arguments import learn_options
from stablebn.cli.command_options import (
    Algorithm,
    AllCategorical,
    AllContinuous,
    AsJson,
    Categorical,
    Continuous,
    Force,
    Quiet,
    TableFile,
    kinds_of,
    with_options,
)
from stablebn.cli.progress import counting, nothing_written_if_interrupted
from stablebn.cli.terminal import say, say_json
from stablebn.errors import spelled
from stablebn.files import check_free, write_atomically
from stablebn.resampling.cross_validation import NOT_HERE, cross_validate

HELP = """
The rows are split into folds; for each one a network is learned from the others, and the log-likelihood of its rows is
told.
"""
EXAMPLE = """\
stablebn cross-validate patients.csv --algorithm tabu-stable --folds 10"""


@with_options(option for option in learn_options() if option.name not in NOT_HERE)
def command(
    data: TableFile,
    algorithm: Algorithm = "auto",
    folds: Annotated[int, typer.Option(help="In how many parts the rows are split.")] = 10,
    seed: Annotated[int, typer.Option(help="The same seed makes the same folds.")] = 0,
    smoothing: Annotated[
        float, typer.Option(help="Imaginary sample size with which probabilities are estimated.")
    ] = 1.0,
    continuous: Continuous = None,
    categorical: Categorical = None,
    all_continuous: AllContinuous = False,
    all_categorical: AllCategorical = False,
    *,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write all figures to this JSON file.")] = None,
    as_json: AsJson = False,
    force: Force = False,
    quiet: Quiet = False,
    **options: Any,
) -> None:
    """Cross-validate a learner, say what was found, and write it."""
    if out is not None:
        check_free(out, force=force)
    kinds = kinds_of(continuous, categorical, all_continuous, all_categorical)
    with nothing_written_if_interrupted(), counting("folds", quiet=quiet) as show:
        found = cross_validate(
            data,
            algorithm,
            folds=folds,
            seed=seed,
            smoothing=smoothing,
            progress=None if show is None else lambda done, wanted: show(done, wanted, ""),
            kinds=kinds,
            **{option: value for option, value in options.items() if value is not None},
        )
    if out is not None:
        write_atomically(out, found.to_json(), force=force)
    if as_json:
        say_json(found.to_dict())
    elif not quiet:
        say(spelled(found.summary(), keep="\n"))
        if out is not None:
            say(f"Written to {spelled(out)}.")
