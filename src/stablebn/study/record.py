"""What a study remembers: of every sample what it is, of every job what came out."""

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
        Of the network.
    identical : int
        Columns that equal another one.
    constants : int
        Columns with a single value.
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
        From 1.
    status : {"done", "failed", "timed out"}
    reason : str
        Why it failed or was cut off; empty if done.
    seconds : float
        Of learning, without drawing and laying out the sample.
    score : float or None
        BIC of the learned graph; None where no DAG extends it, or nothing was learned.
    extendable : bool or None
        Whether a DAG extends the learned graph; None where nothing was learned. So too for all that follow.
    graph : str or None
        The edges as learned, as JSON [[from, to, "->" or "--"], ...] in sorted order, under the names of the network.
    degree : float or None
    precision, recall, f1, bsf, shd : float or None
        Of its CPDAG against that of the network; None where no DAG extends the learned graph.
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
    """Whether every value of an entry that was read is of the type that it should be: a file can hold anything."""
    return all(_is(getattr(entry, name), type_) for name, type_ in get_type_hints(type(entry)).items())


def _is(value: object, type_: Any) -> bool:
    if get_origin(type_) is Literal:
        return value in get_args(type_)
    if get_args(type_):
        return any(_is(value, one) for one in get_args(type_))
    return isinstance(value, type_)
