"""Estimators in the style of scikit-learn: `TabuStable(score="bic").fit(df)`.

scikit-learn itself is not needed; its `clone`, `get_params` and `set_params` work.
"""

from __future__ import annotations

import inspect
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stablebn.api import learn
from stablebn.data import Kind
from stablebn.errors import OptionError, listed
from stablebn.graph import DAG, PDAG, as_graph, to_adjacency
from stablebn.result import Result

if TYPE_CHECKING:
    from typing_extensions import Self


class StructureLearner:
    """What all learners share; the parameters are those of `stablebn.learn`.

    Attributes
    ----------
    causal_graph_ : DAG or PDAG
        A PDAG where no DAG extends what was learned.
    adjacency_matrix_ : int8 array [n, n]
        1 in row u and column v for an arc u -> v, both ways for an edge without a direction; rows and columns as
        `feature_names_in_`.
    feature_names_in_ : object array [n]
    n_features_in_ : int
    score_ : float or None
    trace_ : Trace, TestTrace or OperatorTrace
    result_ : Result
    """

    algorithm: ClassVar[str]

    causal_graph_: DAG | PDAG
    adjacency_matrix_: NDArray[np.int8]
    feature_names_in_: NDArray[np.object_]
    n_features_in_: int
    score_: float | None
    trace_: Any
    result_: Result

    def __init__(
        self,
        *,
        score: str = "bic",
        k: float = 1.0,
        iss: float = 1.0,
        iss_mu: float = 1.0,
        iss_w: int | None = None,
        tabu: int | None = None,
        noinc: int | None = None,
        max_parents: int | None = None,
        max_iter: int | None = None,
        start: object = None,
        order_search: str | None = None,
        test: str | None = None,
        alpha: float | None = None,
        max_condition: int | None = None,
        order: str | None = None,
        faithfulness: bool | None = None,
        max_time: float | None = None,
        unit_free: bool = False,
        kinds: Mapping[Hashable, Kind] | None = None,
        missing: str = "error",
        duplicates: str = "keep",
        threads: int | None = None,
    ) -> None:
        self.score = score
        self.k = k
        self.iss = iss
        self.iss_mu = iss_mu
        self.iss_w = iss_w
        self.tabu = tabu
        self.noinc = noinc
        self.max_parents = max_parents
        self.max_iter = max_iter
        self.start = start
        self.order_search = order_search
        self.test = test
        self.alpha = alpha
        self.max_condition = max_condition
        self.order = order
        self.faithfulness = faithfulness
        self.max_time = max_time
        self.unit_free = unit_free
        self.kinds = kinds
        self.missing = missing
        self.duplicates = duplicates
        self.threads = threads

    def fit(
        self,
        X: object,  # noqa: N803
        y: None = None,
        *,
        names: Sequence[Hashable] | None = None,
        weights: object = None,
    ) -> Self:
        """Learn the graph of a table.

        Parameters
        ----------
        X : frame, array, dict or path
            As `data` of `stablebn.learn`. The columns of an array without `names` are called x0, x1, ...
        y : None
            Not used; here because pipelines pass it.
        names, weights
            As in `stablebn.learn`.
        """
        if names is None and isinstance(X, np.ndarray) and X.ndim == 2:
            names = [f"x{column}" for column in range(X.shape[1])]
        result = learn(X, self.algorithm, names=names, weights=weights, **self.get_params())
        self.result_ = result
        self.causal_graph_ = as_graph(result)
        self.adjacency_matrix_ = to_adjacency(self.causal_graph_, backend="numpy")
        # One by one: NumPy would make a second axis of names that are tuples.
        self.feature_names_in_ = np.empty(len(result.nodes), dtype=object)
        for place, name in enumerate(result.nodes):
            self.feature_names_in_[place] = name
        self.n_features_in_ = len(result.nodes)
        self.score_ = result.score
        self.trace_ = result.trace
        return self

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; `deep` changes nothing, as no parameter is an estimator."""
        return {name: getattr(self, name) for name in _parameters()}

    def set_params(self, **params: Any) -> Self:
        """Change some parameters."""
        unknown = [name for name in params if name not in _parameters()]
        if unknown:
            raise OptionError(f"{type(self).__name__} has no parameter {listed(unknown)}.")
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = _parameters()
        changed = [f"{name}={value!r}" for name, value in self.get_params().items() if value != defaults[name]]
        return f"{type(self).__name__}({', '.join(changed)})"


def _parameters() -> dict[str, Any]:
    """Names and defaults of the constructor's parameters."""
    signature = inspect.signature(StructureLearner.__init__)
    return {name: parameter.default for name, parameter in signature.parameters.items() if name != "self"}


class FGES(StructureLearner):
    """Greedy search among equivalence classes."""

    algorithm = "fges"


class GS(StructureLearner):
    """Grow-shrink Markov blankets."""

    algorithm = "gs"


class H2PC(StructureLearner):
    """Hill climbing among hybrid parents and children."""

    algorithm = "h2pc"


class HC(StructureLearner):
    """Hill climbing in the order of the columns."""

    algorithm = "hc"


class HCDec(StructureLearner):
    """Hill climbing, variables by decreasing score."""

    algorithm = "hc-dec"


class HCInc(StructureLearner):
    """Hill climbing, variables by increasing score."""

    algorithm = "hc-inc"


class HCStable(StructureLearner):
    """Hill climbing in the stable order."""

    algorithm = "hc-stable"


class InterIAMB(StructureLearner):
    """Markov blankets by interleaved incremental association."""

    algorithm = "inter-iamb"


class MMHC(StructureLearner):
    """Hill climbing among max-min parents and children."""

    algorithm = "mmhc"


class PCStable(StructureLearner):
    """PC with an order-independent skeleton."""

    algorithm = "pc-stable"


class Tabu(StructureLearner):
    """Tabu search in the order of the columns."""

    algorithm = "tabu"


class TabuDec(StructureLearner):
    """Tabu search, variables by decreasing score."""

    algorithm = "tabu-dec"


class TabuInc(StructureLearner):
    """Tabu search, variables by increasing score."""

    algorithm = "tabu-inc"


class TabuStable(StructureLearner):
    """Tabu search in the stable order."""

    algorithm = "tabu-stable"
