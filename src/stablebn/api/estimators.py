"""Estimators in the style of scikit-learn: `TabuStable(score="bic").fit(df)`.

scikit-learn itself is not needed; its `clone`, `Pipeline`, `GridSearchCV` and the like take them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stablebn.api.arguments import LearnerParameters, parameters_of
from stablebn.api.learn import learn_without_signals
from stablebn.columns.selection import ColumnSelection
from stablebn.columns.weights import split_weights
from stablebn.errors import DataError, OptionError
from stablebn.graph import DAG, PDAG, as_graph, to_adjacency
from stablebn.io.csv.dialect import Dialect
from stablebn.io.sources import read
from stablebn.learners.registry import LEARNERS, refuse_options_of_others
from stablebn.options import Option, options_of, parameters_section, refuse_unknown, signature_of, stores
from stablebn.prepare.read_options import TableReading
from stablebn.result.result import Result

if TYPE_CHECKING:
    from typing_extensions import Self


class _ScoreName(str):
    """The attribute `score` of an estimator: the parameter, which is text, and the method that scikit-learn calls."""

    def __new__(cls, name: object, estimator: StructureLearner) -> Self:
        made = super().__new__(cls, name)
        made._estimator = estimator
        return made

    _estimator: StructureLearner

    def __call__(self, X: object, y: None = None, *, weights: object = None) -> float:  # noqa: N803
        """Return the mean log-likelihood of rows, for instance rows that were not used for learning.

        The parameters of the network are estimated from the rows used for learning; those of categorical nodes by
        `stablebn.fit(..., method="bde")`, which gives no level probability 0.

        Parameters
        ----------
        X : frame, array, dict or path
            As in `fit`; columns that the network does not have are ignored.
        y : None
            Not used.
        weights
            As in `stablebn.learn`.
        """
        return self._estimator._mean_log_likelihood(X, weights)


class _Score:
    """Descriptor of `score`, which is a parameter of `stablebn.learn` and a method of scikit-learn estimators."""

    def __get__(self, estimator: StructureLearner | None, kind: type) -> Any:
        return self if estimator is None else _ScoreName(vars(estimator)["score"], estimator)

    def __set__(self, estimator: StructureLearner, name: object) -> None:
        vars(estimator)["score"] = name


class StructureLearner:
    """Base class of the estimators; the parameters are the options of `stablebn.learn` that the algorithm has.

    Attributes
    ----------
    causal_graph_ : DAG or PDAG
        The learned graph: a PDAG if no DAG extends it.
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
    score = _Score()

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
            """Return a parameter: parameters are attributes, as in scikit-learn."""

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
        if hasattr(X, "toarray"):
            raise DataError("sparse tables are not taken: give X.toarray(), or a frame.")
        names = _names_of(X) if names is None else names
        # In a loop over many fits, Ctrl-C must end the loop.
        result = learn_without_signals(X, self.algorithm, names=names, weights=weights, **self.get_params())
        self._names = names
        self.result_ = result
        self.causal_graph_ = as_graph(result)
        self.adjacency_matrix_ = to_adjacency(self.causal_graph_, backend="numpy")
        # NumPy would make a second axis for names that are tuples.
        self.feature_names_in_ = np.empty(len(result.nodes), dtype=object)
        for place, name in enumerate(result.nodes):
            self.feature_names_in_[place] = name
        self.n_features_in_ = len(result.nodes)
        self.score_ = result.score
        self.trace_ = result.trace
        return self

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; `deep` has no effect, as no parameter is an estimator."""
        return {option.name: vars(self)[option.name] for option in parameters_of(self.algorithm)}

    def set_params(self, **params: Any) -> Self:
        """Change some parameters."""
        refuse_options_of_others(self.algorithm, _known(type(self).__name__, params))
        vars(self).update(params)
        return self

    def _mean_log_likelihood(self, X: object, weights: object) -> float:  # noqa: N803
        # Imported here because it takes time, and few calls need a network.
        from stablebn.networks.align_table import prepared_for
        from stablebn.networks.likelihood import log_likelihood_of

        if not hasattr(self, "result_"):
            raise OptionError(f"this {type(self).__name__} has learned nothing yet. Call fit first.")
        network = self.result_.fit(method="bde")
        source = read(
            X,
            names=self._names_again(X),
            dialect=Dialect.of(vars(self)),
            choice=ColumnSelection(network.nodes, besides=weights),
        )
        columns, weights = split_weights(source.columns, weights)
        missing = "drop" if self.missing == "available" else self.missing
        prepared = prepared_for(network, TableReading(columns, missing=missing, weights=weights))
        if not prepared.table.total:
            raise DataError("there are no rows to tell the likelihood of.")
        return log_likelihood_of(network, prepared) / prepared.table.total

    def _names_again(self, X: object) -> Sequence[Hashable] | None:  # noqa: N803
        """Return names for the columns of an array: the names used for learning."""
        if not isinstance(X, np.ndarray) or X.ndim != 2:
            return None
        names = self._names or _names_of(X) or ()
        if X.shape[1] != len(names):
            # The wording of scikit-learn, for which its tools search.
            estimator, wanted = type(self).__name__, len(names)
            raise DataError(f"X has {X.shape[1]} features, but {estimator} is expecting {wanted} features as input.")
        return names

    def __sklearn_tags__(self) -> Any:
        """Return the tags for scikit-learn: the estimator needs no target, and accepts text and categories."""
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            input_tags=InputTags(
                categorical=True, string=True, dict=True, allow_nan=vars(self).get("missing", "error") != "error"
            ),
        )

    def __repr__(self) -> str:
        defaults = {option.name: option.default for option in parameters_of(self.algorithm)}
        # == of a frame is a frame; no default is a frame.
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if type(value) is not type(defaults[name]) or value != defaults[name]
        ]
        return f"{type(self).__name__}({', '.join(changed)})"


def _names_of(X: object) -> list[str] | None:  # noqa: N803
    """Return names for the columns of an array without names; `None` for other tables."""
    return [f"x{column}" for column in range(X.shape[1])] if isinstance(X, np.ndarray) and X.ndim == 2 else None


def _known(estimator: str, parameters: Iterable[str]) -> list[Option]:
    """Return the options with these names; raise `OptionError` for an unknown name."""
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
    """Return the class name of the estimator of an algorithm.

    >>> estimator_name("tabu-stable")
    'TabuStable'
    """
    return LEARNERS[algorithm].title.replace("-", "")


ESTIMATORS = {algorithm: _estimator(algorithm) for algorithm in LEARNERS}
"""The estimator of every algorithm."""

if TYPE_CHECKING:

    class Averaged(StructureLearner): ...

    class Best(StructureLearner): ...

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
