"""`stablebn score`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

import click

from stablebn.api.arguments import score_options
from stablebn.api.score import score
from stablebn.cli.command_options import (
    folders_option,
    graph_file,
    json_option,
    no_progress_option,
    option,
    table_file,
    table_options,
)
from stablebn.cli.progress import nothing_written_if_interrupted, waiting
from stablebn.cli.reference import Command
from stablebn.cli.terminal import say, say_json
from stablebn.columns.levels import categories_of, parse_levels
from stablebn.columns.selection import ColumnSelection
from stablebn.errors import OptionError, UnseenLevelWarning, spelled
from stablebn.io.csv.dialect import OF_TEXT, Dialect
from stablebn.io.sources import read
from stablebn.networks import Network, read_graph, read_network
from stablebn.networks.formats import has_parameters, is_graph_file
from stablebn.result.files_json import is_result
from stablebn.result.result import Result

if TYPE_CHECKING:
    from stablebn.cli.command_options import Kinds

HELP = """
If the graph is a network with parameters, also prints the log-likelihood of the table with these.
"""
EXAMPLE = """\
stablebn score graph.json patients.csv --by-node"""


@click.command(cls=Command)
@graph_file("graph")
@table_file
@table_options(score_options(), choice_of_learners=False)
@option("--by-node", is_flag=True, help="Also print the local score of every node.")
@folders_option
@json_option
@no_progress_option
def command(
    graph: str,
    data: Path,
    *,
    kinds: Kinds,
    by_node: bool,
    folders: Sequence[Path],
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Score a graph and print its score."""
    dialect = Dialect.of({name: options.pop(name, None) for name in OF_TEXT})
    choice = ColumnSelection(options.pop("columns", None), options.pop("drop", None), besides=options.get("weights"))
    with nothing_written_if_interrupted(), waiting("reading", quiet=quiet) as show:
        source = read(data, dialect=dialect, choice=choice)
        table = source.columns
        if "levels" in options:
            # Only categories that the file declares: text columns are dictionary-encoded too.
            options["levels"] = parse_levels(options["levels"], table, categories_of(table, source.with_categories))
        if show is not None:
            show("scoring")
        learned = Result.from_json(graph) if is_result(graph) else read_graph(graph, directories=folders)
        scored = score(learned, table, **options, kinds=kinds)
    likelihood: float | None = None
    unseen: list[str] = []
    if not is_graph_file(graph) or has_parameters(graph):
        reading: dict[str, Any] = {name: options[name] for name in ("missing", "weights") if name in options}
        likelihood, unseen = _likelihood(read_network(graph, directories=folders), table, reading)
    if as_json:
        say_json(
            {
                "score": scored.score,
                "total": scored.total,
                "by_node": {str(node): part for node, part in scored.by_node.items()},
                "log_likelihood": likelihood,
                "warnings": [*map(str, source.cautions), *unseen],
            }
        )
        return
    say(f"{scored.score.upper()} {scored.total!r}")
    for warning in source.cautions:
        say(f"  {spelled(warning)}")
    if by_node:
        say("\n".join(f"  {spelled(name)}  {part!r}" for name, part in scored.by_node.items()))
    if likelihood is not None:
        say(f"Log-likelihood of these rows with the network's own parameters {likelihood!r}")
    for message in unseen:
        say(f"  {spelled(message)}")


def _likelihood(network: Network, table: object, reading: Mapping[str, Any]) -> tuple[float | None, list[str]]:
    """Return the log-likelihood of a table, None if it is not defined for incomplete rows, and warnings."""
    with catch_warnings(record=True) as caught:
        simplefilter("always", UnseenLevelWarning)
        try:
            likelihood = network.log_likelihood(table, **reading)
        except OptionError as error:
            if reading.get("missing") != "available":
                raise
            return None, [f"No log-likelihood with the network's own parameters: {error}"]
    return likelihood, [str(warning.message) for warning in caught]
