"""`stablebn cross-validate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stablebn.api.arguments import learn_options
from stablebn.cli.command_options import (
    algorithm_option,
    force_option,
    json_option,
    option,
    out_option,
    quiet_option,
    table_file,
    table_options,
)
from stablebn.cli.progress import counting, nothing_written_if_interrupted
from stablebn.cli.reference import Command
from stablebn.cli.terminal import say, say_json
from stablebn.errors import spelled
from stablebn.files import check_free, write_atomically
from stablebn.resampling.cross_validation import NOT_HERE, cross_validate

if TYPE_CHECKING:
    from stablebn.cli.command_options import Kinds

HELP = """
The rows are split into folds. For each fold, a network is learned from the other folds; the result is the
log-likelihood of the rows of the fold.
"""
EXAMPLE = """\
stablebn cross-validate patients.csv --algorithm tabu-stable --folds 10"""


@click.command(cls=Command)
@table_file
@algorithm_option
@option("--folds", type=int, default=10, help="The number of folds.")
@option("--seed", type=int, default=0, help="The seed of the folds.")
@option("--smoothing", type=float, default=1.0, help="Imaginary sample size of the estimated probabilities.")
@table_options(known for known in learn_options() if known.name not in NOT_HERE)
@out_option(help="Write all results to this JSON file.")
@json_option
@force_option
@quiet_option
def command(
    data: Path,
    algorithm: str,
    folds: int,
    seed: int,
    smoothing: float,
    *,
    kinds: Kinds,
    out: Path | None,
    as_json: bool,
    force: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Cross-validate an algorithm, then print and write the results."""
    if out is not None:
        check_free(out, force=force)
    with nothing_written_if_interrupted(), counting("folds", quiet=quiet) as show:
        result = cross_validate(
            data,
            algorithm,
            folds=folds,
            seed=seed,
            smoothing=smoothing,
            progress=None if show is None else lambda done, wanted: show(done, wanted, ""),
            kinds=kinds,
            **options,
        )
    if out is not None:
        write_atomically(out, result.to_json(), force=force)
    if as_json:
        say_json(result.to_dict())
    elif not quiet:
        say(spelled(result.summary(), keep="\n"))
        if out is not None:
            say(f"Written to {spelled(out)}.")
