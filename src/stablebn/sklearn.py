"""Estimators in the style of scikit-learn: `TabuStable(score="bic").fit(df)`.

scikit-learn itself is not needed; its `clone`, `get_params` and `set_params` work.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stablebn.api import learn
from stablebn.arguments import LearnerParameters, parameters_of
from stablebn.graph import DAG, PDAG, as_graph, to_adjacency
from stablebn.learners.registry import LEARNERS, refuse_options_of_others
from stablebn.options import Option, options_of, parameters_section, refuse_unknown, signature_of, stores
from stablebn.result import Result

if TYPE_CHECKING:
    from typing_extensions import Self


class StructureLearner:
    """What all estimators share; the parameters are those options of `stablebn.learn` that the learner has.

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

    @stores(LearnerParameters)
    def __init__(self, *arguments: Any, **parameters: Any) -> None:
        name = type(self).__name__
        refuse_options_of_others(self.algorithm, _known(name, parameters))
        bound = signature_of(parameters_of(self.algorithm)).bind(*arguments, **parameters)
        bound.apply_defaults()
        vars(self).update(bound.arguments)

    if TYPE_CHECKING:

        def __getattr__(self, parameter: str) -> Any:
            """Parameters are attributes, as in scikit-learn."""

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
        return {option.name: getattr(self, option.name) for option in parameters_of(self.algorithm)}

    def set_params(self, **params: Any) -> Self:
        """Change some parameters."""
        refuse_options_of_others(self.algorithm, _known(type(self).__name__, params))
        vars(self).update(params)
        return self

    def __repr__(self) -> str:
        defaults = {option.name: option.default for option in parameters_of(self.algorithm)}
        changed = [f"{name}={value!r}" for name, value in self.get_params().items() if value != defaults[name]]
        return f"{type(self).__name__}({', '.join(changed)})"


def _known(estimator: str, parameters: Iterable[str]) -> list[Option]:
    """The options that have these names; `OptionError` if one is none."""
    known = {option.name: option for option in options_of(LearnerParameters)}
    refuse_unknown(estimator, parameters, tuple(known))
    return [known[name] for name in parameters]


def _estimator(algorithm: str) -> type[StructureLearner]:
    learner = LEARNERS[algorithm]
    parameters = parameters_of(algorithm)
    described = parameters_section(parameters, lambda option: option.help_with_default)
    attributes = {
        "algorithm": algorithm,
        "__module__": __name__,
        "__doc__": f"{learner.summary[0].upper()}{learner.summary[1:]}.\n\n{described}\n",
        "__signature__": signature_of(parameters),
    }
    return type(estimator_name(algorithm), (StructureLearner,), attributes)


def estimator_name(algorithm: str) -> str:
    """The name of the estimator of a learner.

    >>> estimator_name("tabu-stable")
    'TabuStable'
    """
    return LEARNERS[algorithm].title.replace("-", "")


ESTIMATORS = {algorithm: _estimator(algorithm) for algorithm in LEARNERS}
"""The estimator of every learner."""

if TYPE_CHECKING:

    class Exact(StructureLearner): ...

    class FGES(StructureLearner): ...

    class GS(StructureLearner): ...

    class H2PC(StructureLearner): ...

    class HC(StructureLearner): ...

    class HCDec(StructureLearner): ...

    class HCInc(StructureLearner): ...

    class HCStable(StructureLearner): ...

    class InterIAMB(StructureLearner): ...

    class MMHC(StructureLearner): ...

    class PCStable(StructureLearner): ...

    class Tabu(StructureLearner): ...

    class TabuDec(StructureLearner): ...

    class TabuInc(StructureLearner): ...

    class TabuStable(StructureLearner): ...

else:
    globals().update({estimator.__name__: estimator for estimator in ESTIMATORS.values()})
