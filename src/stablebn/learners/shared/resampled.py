"""The problem of an algorithm for bootstrap samples of its table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from stablebn.canonical.resampled_rows import chosen_rows, in_canonical_signs, with_rows
from stablebn.canonical.row_draws import drawn_counts
from stablebn.canonical.rows import CanonicalRows, canonical_rows
from stablebn.knowledge.constraints import Constraints
from stablebn.learners.shared.problem import Problem, define_problem
from stablebn.prepare.prepared import Prepared
from stablebn.stats import source_of
from stablebn.stats.variable_sets import bit, members
from stablebn.table.table import Name


def resampled_rows(prepared: Prepared, full_problem: Problem, *, unit_free: bool, threads: int) -> ResampledRows:
    """Find the canonical rows of a table, from which samples are drawn.

    Parameters
    ----------
    prepared : Prepared
    full_problem : Problem
        The problem of all rows.
    unit_free : bool
    threads : int

    Raises
    ------
    OptionError
        The rows do not fit into the allowed memory.
    """
    if prepared.blocks is not None:
        source = source_of(prepared.blocks, threads=threads)
        prepared = replace(prepared, table=source.fetch('algorithm="averaged"'), blocks=None)
    # A sample may leave columns tied that the table does not; then names must not decide.
    called: dict[Name, Name] = {full_problem.names[v]: place for place, v in enumerate(full_problem.decreasing)}
    rows = canonical_rows(prepared.table, called=called, threads=threads)
    return ResampledRows(in_canonical_signs(prepared, rows), full_problem, unit_free, threads, called, rows)


@dataclass(frozen=True)
class ResampledRows:
    """Bootstrap samples of a table; the drawn rows do not depend on its row and column order or its names.

    Attributes
    ----------
    prepared : Prepared
        The table, with its rows in memory.
    full_problem : Problem
        The problem of all rows.
    unit_free : bool
    threads : int
    called : mapping of name to name
        Replacements of the names, used to break ties.
    rows : CanonicalRows
    """

    prepared: Prepared
    full_problem: Problem
    unit_free: bool
    threads: int
    called: Mapping[Name, Name]
    rows: CanonicalRows

    def problem(self, seed: int, replicate: int) -> Problem:
        """Return the problem of a bootstrap sample, for the variables that still vary in it.

        Raises
        ------
        DataError
            A continuous column has too few values in the sample.
        """
        table = with_rows(self.prepared, chosen_rows(self.rows, drawn_counts(self.rows.counts, seed, replicate))).table
        return define_problem(
            table,
            self.full_problem.score_config,
            unit_free=self.unit_free,
            constraints=self._constraints(table.names),
            called=self.called,
        )

    def _constraints(self, names: tuple[Name, ...]) -> Constraints | None:
        """Return the constraints of the problem on the columns of a sample, in their order."""
        constraints = self.full_problem.constraints
        if constraints is None:
            return None
        number = {name: v for v, name in enumerate(self.full_problem.names)}
        column = {number[name]: at for at, name in enumerate(names)}

        def columns_of(variables: int) -> int:
            return sum(bit(column[v]) for v in members(variables) if v in column)

        sampled = [number[name] for name in names]
        return Constraints(
            tuple(columns_of(constraints.allowed[v]) for v in sampled),
            tuple(columns_of(constraints.required[v]) for v in sampled),
            tuple(constraints.most_parents[v] for v in sampled),
        )
