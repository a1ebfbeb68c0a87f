"""One of our learners on replicates: the table is read once, and a replicate is other rows of the same codes."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stablebn.api.arguments import LearnArguments
from stablebn.api.learn import learn_from_request
from stablebn.api.request import LearnRequest
from stablebn.canonical.resampled_rows import chosen_rows, in_canonical_signs, with_rows
from stablebn.canonical.rows import canonical_rows
from stablebn.errors import StableBNError
from stablebn.graph import PDAG
from stablebn.graph.convert import edges_by_kind
from stablebn.graph.names import rank_names
from stablebn.learners import LEARNERS, revision_of
from stablebn.options import options_of
from stablebn.prepare.dask.workers import cluster_of
from stablebn.prepare.prepared import Prepared
from stablebn.result.constraints_from_names import read_as_graph
from stablebn.result.result import Result
from stablebn.scores.registry import ScoreConfig
from stablebn.table.table import CategoricalTable, MixedTable, Table
from stablebn.threads import cores

_CHOSEN = ("algorithm", "effort", *(entry.name for entry in options_of(ScoreConfig)))


class OurLearner:
    """A learner of the registry, a table, and how to learn from other rows of it.

    Parameters
    ----------
    asked : LearnArguments

    Attributes
    ----------
    title : str
    stable : bool
        Whether it gives one graph for one table.
    result : Result
        Learned from the whole table.
    learned : PDAG
        Its class.
    rows : int
        N, by weight.
    canonical : tuple of names
        The variables that take part, in canonical order.
    distinct : CanonicalRows
    failures : tuple of types
        Of errors that are a replicate's own affair.
    threads : int
        How many replicates are learned from at once.
    cluster : Cluster or None
        Whose workers learn from them.
    """

    failures: ClassVar[tuple[type[Exception], ...]] = (StableBNError,)

    def __init__(self, asked: LearnArguments) -> None:
        self.result: Result = learn_from_request(LearnRequest.of(asked))
        # Replicates are learned with what was chosen for the whole table.
        chosen = {name: self.result.config[name] for name in _CHOSEN if name in self.result.config}
        asked = replace(asked, **chosen)
        learner = LEARNERS[asked.algorithm]
        assert self.result.prepared is not None
        self.prepared: Prepared = self.result.prepared.held()
        self.title = learner.title
        self.stable = learner.stable and self.result.config.get("order") != "given"
        self.learned = class_of(self.result)
        self.rows = self.result.rows
        self.canonical = self.result.canonical
        self.threads = asked.threads or cores()
        self.cluster = cluster_of(asked.client) if asked.engine == "dask" else None
        self._asked = replace(asked, threads=1, progress=None)
        # Where a replicate leaves columns tied that the table does not, names must not decide.
        self._called: dict[Hashable, Hashable] = {name: place for place, name in enumerate(self.canonical)}
        self.distinct = canonical_rows(self.prepared.table, called=self._called, threads=self.threads)
        self.prepared = in_canonical_signs(self.prepared, self.distinct)

    def __getstate__(self) -> dict[str, Any]:
        """What a worker needs: the rows are there, whoever has read them."""
        asked = replace(self._asked, data=None, engine=None, client=None)
        return {**self.__dict__, "result": None, "cluster": None, "_asked": asked}

    def learn(self, times: NDArray[np.int64], columns: list[Hashable] | None, _: object) -> PDAG:
        """The class of the graph of a replicate.

        Parameters
        ----------
        times : int64 array
            How often each distinct row is there.
        columns : list of names, optional
            The order in which they stand.
        """
        return class_of(self.result_of(with_rows(self.prepared, chosen_rows(self.distinct, times), columns)))

    def result_of(self, prepared: Prepared) -> Result:
        """What is learned from other rows of the table."""
        return learn_from_request(LearnRequest.of(self._asked, table=prepared, called=self._called))

    def told(self) -> dict[str, Any]:
        """What was asked, as it decides on what is learned."""
        start = self._asked.start
        edges = None if start is None else edges_by_kind(read_as_graph(start, self.result.nodes))
        revision = revision_of(self._asked.algorithm, self.result.config)
        return {"config": dict(self.result.config), "start": edges, "revision": revision}

    def contents(self) -> Iterator[Any]:
        """The table, whatever its layout: columns by name, rows in canonical order."""
        prepared = self.prepared
        place = rank_names(prepared.table.names)
        table = prepared.table.select(sorted(range(len(place)), key=lambda v: place[prepared.table.names[v]]))
        yield np.array([repr((prepared.merged, sorted(map(repr, prepared.constants.items()))))])
        yield from _contents(table, self.distinct.places)
        yield self.distinct.counts


def class_of(result: Result) -> PDAG:
    """The equivalence class of what was learned, oriented with what is known; as it was learned if there is none."""
    return result.pdag if result.cpdag is None else result.cpdag


def _contents(table: Table, rows: NDArray[np.int64]) -> Iterator[Any]:
    yield np.array([repr(table.names)])
    if isinstance(table, MixedTable):
        yield from _contents(table.categorical, rows)
        yield from _contents(table.continuous, rows)
    elif isinstance(table, CategoricalTable):
        yield np.array([repr(table.levels)])
        yield table.codes[:, rows]
    else:
        yield table.values[:, rows]
