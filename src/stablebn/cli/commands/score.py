"""`stablebn score`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any
from warnings import catch_warnings, simplefilter

import typer

from stablebn.api.arguments import score_options
from stablebn.api.score import score
from stablebn.cli.command_options import (
    AllCategorical,
    AllContinuous,
    AsJson,
    Categorical,
    Continuous,
    Folders,
    GraphFile,
    TableFile,
    kinds_of,
    with_options,
)
from stablebn.cli.progress import nothing_written_if_interrupted, waiting
from stablebn.cli.terminal import say, say_json
from stablebn.columns.levels import categories_of, told_levels
from stablebn.columns.selection import Choice
from stablebn.errors import OptionError, UnseenLevelWarning, spelled
from stablebn.io.csv.dialect import OF_TEXT, Dialect
from stablebn.io.sources import read
from stablebn.networks import Network, read_graph, read_network
from stablebn.networks.formats import has_parameters, is_graph_file
from stablebn.result.files_json import is_result
from stablebn.result.result import Result

HELP = """
If the graph is a network with parameters, it tells the log-likelihood of the table with these, too.
"""
EXAMPLE = """\
stablebn score graph.json patients.csv --by-node"""


@with_options(score_options())
def command(
    graph: GraphFile,
    data: TableFile,
    continuous: Continuous = None,
    categorical: Categorical = None,
    all_continuous: AllContinuous = False,
    all_categorical: AllCategorical = False,
    *,
    by_node: Annotated[bool, typer.Option("--by-node", help="List every node's part.")] = False,
    folders: Folders = None,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    **options: Any,
) -> None:
    """Score a graph and print its score."""
    dialect = Dialect.of({option: options.pop(option) for option in OF_TEXT})
    choice = Choice(options.pop("columns"), options.pop("drop"), besides=options["weights"])
    kinds = kinds_of(continuous, categorical, all_continuous, all_categorical)
    with nothing_written_if_interrupted(), waiting("reading", quiet=quiet) as show:
        source = read(data, dialect=dialect, choice=choice)
        table = source.columns
        if options["levels"]:
            # As the file says it: text that was read is in dictionaries too.
            options["levels"] = told_levels(options["levels"], table, categories_of(table, source.with_categories))
        if show is not None:
            show("scoring")
        learned = Result.from_json(graph) if is_result(graph) else read_graph(graph, directories=folders or [])
        found = score(learned, table, **options, kinds=kinds)
    likelihood: float | None = None
    unseen: list[str] = []
    if not is_graph_file(graph) or has_parameters(graph):
        reading = {option: options[option] for option in ("missing", "weights") if options[option] is not None}
        likelihood, unseen = _likelihood(read_network(graph, directories=folders or []), table, reading)
    if as_json:
        say_json(
            {
                "score": found.score,
                "total": found.total,
                "by_node": {str(node): part for node, part in found.by_node.items()},
                "log_likelihood": likelihood,
                "warnings": [*map(str, source.cautions), *unseen],
            }
        )
        return
    say(f"{found.score.upper()} {found.total!r}")
    for caution in source.cautions:
        say(f"  {spelled(caution)}")
    if by_node:
        say("\n".join(f"  {spelled(name)}  {part!r}" for name, part in found.by_node.items()))
    if likelihood is not None:
        say(f"Log-likelihood of these rows with the network's own parameters {likelihood!r}")
    for message in unseen:
        say(f"  {spelled(message)}")


def _likelihood(network: Network, table: object, reading: Mapping[str, Any]) -> tuple[float | None, list[str]]:
    """Return the log-likelihood of a table and what to say of it; None if incomplete rows have none."""
    with catch_warnings(record=True) as told:
        simplefilter("always", UnseenLevelWarning)
        try:
            likelihood = network.log_likelihood(table, **reading)
        except OptionError as error:
            if reading.get("missing") != "available":
                raise
            return None, [f"No log-likelihood with the network's own parameters: {error}"]
    return likelihood, [str(warning.message) for warning in told]
