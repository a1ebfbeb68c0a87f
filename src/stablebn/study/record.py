"""Define what a study stores: the facts of every sample, and the outcome of every job."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

Status = Literal["done", "failed", "timed out"]


@dataclass(frozen=True)
class Sample:
    """A table drawn from a network, the same for all learners and randomisations.

    Attributes
    ----------
    network : str
    kind : {"categorical", "continuous", "mixed"}
    rows : int
    nodes, arcs : int
        Their numbers in the network.
    identical : int
        The number of columns that equal another one.
    constants : int
        The number of columns with a single value.
    empty_score, true_score : float
        BIC of the graph without arcs and of the true graph.
    """

    network: str
    kind: Literal["categorical", "continuous", "mixed"]
    rows: int
    nodes: int
    arcs: int
    identical: int
    constants: int
    empty_score: float
    true_score: float


@dataclass(frozen=True)
class Record:
    """A job that has ended: one learner on one layout of one sample.

    Attributes
    ----------
    network : str
    rows : int
    learner : str
        The label of the learner in the study.
    randomisation : int
        The number of the layout, from 1.
    status : {"done", "failed", "timed out"}
    reason : str
        Why it failed or timed out; empty if done.
    seconds : float
        The time of learning, without drawing the sample and changing its layout.
    score : float or None
        BIC of the learned graph; None if no DAG extends it, or nothing was learned.
    extendable : bool or None
        Whether a DAG extends the learned graph. This and all following fields are None if nothing was learned.
    graph : str or None
        The edges as learned, as JSON [[from, to, "->" or "--"], ...] in sorted order, under the names of the network.
    degree : float or None
    precision, recall, f1, bsf, shd : float or None
        Metrics of its CPDAG against that of the network; None if no DAG extends the learned graph.
    """

    network: str
    rows: int
    learner: str
    randomisation: int
    status: Status
    reason: str
    seconds: float
    score: float | None = None
    extendable: bool | None = None
    graph: str | None = None
    degree: float | None = None
    precision: float | None = None
    recall: float | None = None
    f1: float | None = None
    bsf: float | None = None
    shd: float | None = None


SampleOrRecord = TypeVar("SampleOrRecord", Sample, Record)


def fits(entry: object) -> bool:
    """Check the types of all fields of an entry that was read from a file."""
    return all(_is(getattr(entry, name), type_) for name, type_ in get_type_hints(type(entry)).items())


def _is(value: object, type_: Any) -> bool:
    if get_origin(type_) is Literal:
        return value in get_args(type_)
    if get_args(type_):
        return any(_is(value, one) for one in get_args(type_))
    return isinstance(value, type_)
