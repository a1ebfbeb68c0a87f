"""Learn with an algorithm of stablebn from other rows of a table, which is read and encoded once."""

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
from stablebn.prepare.prepared import Prepared
from stablebn.resampling.runner import ResampledLearner
from stablebn.result.constraints_from_names import read_as_graph
from stablebn.result.result import Result
from stablebn.scores.registry import ScoreConfig
from stablebn.stats.engines.registry import cluster_for
from stablebn.table.table import CategoricalTable, MixedTable, Table
from stablebn.threads import cores

_CHOSEN = ("algorithm", "effort", *(entry.name for entry in options_of(ScoreConfig)))


class BuiltinLearner(ResampledLearner):
    """An algorithm of stablebn with a table.

    Parameters
    ----------
    request : LearnArguments
    """

    failures: ClassVar[tuple[type[Exception], ...]] = (StableBNError,)
    result: Result

    def __init__(self, request: LearnArguments) -> None:
        self.result = learn_from_request(LearnRequest.of(request))
        # Replicates are learned with the algorithm and the score that were chosen for the complete table.
        chosen = {name: self.result.config[name] for name in _CHOSEN if name in self.result.config}
        request = replace(request, **chosen)
        learner = LEARNERS[request.algorithm]
        assert self.result.prepared is not None
        self.prepared: Prepared = self.result.prepared.held()
        self.title = learner.title
        self.stable = learner.stable and self.result.config.get("order") != "given"
        self.learned = class_of(self.result)
        self.rows = self.result.rows
        self.canonical = self.result.canonical
        self.threads = request.threads or cores()
        self.cluster = cluster_for(request.engine, request.client)
        self._request = replace(request, threads=1, progress=None)
        # Columns can be tied in a replicate but not in the table: then the canonical order decides, not the names.
        self._ranks: dict[Hashable, Hashable] = {name: rank for rank, name in enumerate(self.canonical)}
        self.distinct = canonical_rows(self.prepared.table, called=self._ranks, threads=self.threads)
        self.prepared = in_canonical_signs(self.prepared, self.distinct)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state that a Dask worker needs: the encoded rows, without the data as given."""
        request = replace(self._request, data=None, engine=None, client=None)
        return {**self.__dict__, "result": None, "cluster": None, "_request": request}

    def learn(self, times: NDArray[np.int64], columns: list[Hashable] | None, _: object) -> PDAG:
        """Learn the CPDAG of a replicate; see `ResampledLearner.learn`."""
        return class_of(self.result_of(with_rows(self.prepared, chosen_rows(self.distinct, times), columns)))

    def result_of(self, prepared: Prepared) -> Result:
        """Learn from other rows of the table."""
        return learn_from_request(LearnRequest.of(self._request, table=prepared, called=self._ranks))

    def identity(self) -> dict[str, Any]:
        """Return the options as used, the start graph, and the revision of the algorithm."""
        start = self._request.start
        edges = None if start is None else edges_by_kind(read_as_graph(start, self.result.nodes))
        revision = revision_of(self._request.algorithm, self.result.config)
        return {"config": dict(self.result.config), "start": edges, "revision": revision}

    def contents(self) -> Iterator[Any]:
        """Yield the encoded table, columns by name, rows in canonical order."""
        prepared = self.prepared
        rank = rank_names(prepared.table.names)
        table = prepared.table.select(sorted(range(len(rank)), key=lambda v: rank[prepared.table.names[v]]))
        yield np.array([repr((prepared.merged, sorted(map(repr, prepared.constants.items()))))])
        yield from _contents(table, self.distinct.places)
        yield self.distinct.counts


def class_of(result: Result) -> PDAG:
    """Return the CPDAG, oriented with the knowledge; or the learned graph, if no DAG extends it."""
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
