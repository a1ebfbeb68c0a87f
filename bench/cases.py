"""What is measured: the tables, the tools, and how far each tool is asked."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq
from worker import OTHERS

import stablebn as sb

SEED = 1
CATEGORICAL = ("asia", "child", "insurance", "alarm", "hailfinder2", "hepar2", "win95pts2", "formed", "pathfinder")
CONTINUOUS = ("ecoli70_c", "magic-niab_c", "arth150_c")
LONG = ("asia", "alarm", "hepar2")
"""Networks that are also sampled at a million rows."""
RANDOM = "random categorical"
RANDOM_CONTINUOUS = "random continuous"


@dataclass(frozen=True)
class Case:
    """A table to learn from.

    Attributes
    ----------
    series : str
        A network of the catalogue, or `RANDOM` or `RANDOM_CONTINUOUS`: what grows from case to case.
    rows : int
    variables : int
        Of a random network; a network of the catalogue has its own number.
    """

    series: str
    rows: int
    variables: int = 0

    def network(self, directories: Sequence[str] = ()) -> sb.Network:
        """The network to sample from; `directories` are searched for those of the catalogue."""
        if self.variables:
            return sb.random_network(self.variables, continuous=self.series == RANDOM_CONTINUOUS, seed=SEED)
        return sb.read_network(self.series, directories=directories)


def cases(*, quick: bool) -> list[Case]:
    """All tables that ours and the peers learn from."""
    if quick:
        return [Case("asia", 1_000), Case("ecoli70_c", 1_000), Case(RANDOM, 1_000, 50)]
    found = [Case(name, rows) for rows in (1_000, 10_000, 100_000) for name in (*CATEGORICAL, *CONTINUOUS)]
    found += [Case(name, 1_000_000) for name in LONG]
    found += [Case(RANDOM, 10_000, n) for n in (50, 100, 200, 500, 1_000)]
    found += [Case(RANDOM_CONTINUOUS, 10_000, n) for n in (100, 200, 500)]
    return found


def write_table(network: sb.Network, rows: int, path: Path, *, csv: bool = False) -> None:
    """Sample to a Parquet file, and where asked to a CSV file too, without columns of one value: peers refuse those."""
    table = network.sample(rows, seed=SEED)
    table = table.select([name for name in table.column_names if len(table[name].unique()) > 1])
    pq.write_table(table, path)
    if csv:
        pa.csv.write_csv(_as_text(table), path.with_suffix(".csv"))


def _as_text(table: pa.Table) -> pa.Table:
    """Categories as text with a mark in front, so that R reads none of them as a number."""
    columns = [
        column if pa.types.is_floating(column.type) else pc.binary_join_element_wise("=", column.cast("string"), "")
        for column in table.columns
    ]
    return pa.table(columns, names=table.column_names)


@dataclass(frozen=True)
class Tool:
    """A learner of a package, and the largest tables that it finishes in reasonable time.

    Attributes
    ----------
    name : str
        The package as pip or CRAN knows it, and the learner.
    categorical, continuous : bool
        What it learns from.
    most_variables, most_rows : int
    """

    name: str
    categorical: bool = True
    continuous: bool = True
    most_variables: int = 1_000
    most_rows: int = 1_000_000

    @property
    def is_installed(self) -> bool:
        """Whether its package is there; of R's, whether Rscript is there and has it."""
        package = self.name.split()[0]
        if package == "bnlearn":
            question = 'quit(status = !requireNamespace("bnlearn", quietly = TRUE))'
            has_r = shutil.which("Rscript") is not None
            return has_r and not subprocess.run(["Rscript", "-e", question], capture_output=True).returncode
        try:
            return bool(version(package))
        except PackageNotFoundError:
            return False

    def takes(self, network: sb.Network, rows: int) -> bool:
        """Whether it is asked for a table at all."""
        can = self.continuous if network.is_continuous else self.categorical
        return can and len(network) <= self.most_variables and rows <= self.most_rows


TOOLS = (
    Tool("stablebn tabu-stable"),
    Tool("stablebn tabu"),
    Tool("stablebn hc"),
    *(Tool(f"stablebn {algorithm}", most_rows=10_000, most_variables=110) for algorithm in OTHERS),
    Tool("pybnesian hc"),
    Tool("pyagrum hc", continuous=False),
    Tool("bnlearn hc"),
    Tool("pgmpy hc", most_variables=40, most_rows=10_000),
    Tool("causal-learn ges", most_variables=20, most_rows=10_000),
)
OURS, PLAIN = (tool.name for tool in TOOLS[:2])
"""The learner whose times are compared with those of all others, and the same search without a stable order."""
