"""Make the tables of any study: one row per learner, and one table per metric with one row per network."""

from __future__ import annotations

from collections.abc import Sequence

from stablebn.study.tables.study_table import StudyTable, TableCell, TableRow, with_marks
from stablebn.study.tables.summary import Experiments, Statistic

HEADINGS = {
    "f1": ("F1", ".4f"),
    "precision": ("precision", ".4f"),
    "recall": ("recall", ".4f"),
    "bsf": ("BSF", ".4f"),
    "shd": ("SHD", ".2f"),
    "normalised_bic": ("normalised BIC", ".4f"),
    "degree": ("degree", ".4f"),
    "seconds": ("seconds", ".3g"),
}
LOWER_IS_BETTER = ("shd", "seconds")


def general_tables(experiments: Experiments, metrics: Sequence[str]) -> list[StudyTable]:
    """Return these tables for categorical, continuous and mixed networks separately."""
    requested = ["normalised_bic" if metric == "score" else metric for metric in metrics]
    tables = []
    for kind, of_kind in experiments.by_kind().items():
        shared = of_kind.shared_by(of_kind.learners)
        measured = [
            metric for metric in requested if any(of_kind.mean(name, metric) is not None for name in of_kind.learners)
        ]
        if shared.samples:
            tables.append(_learners(kind, shared, measured))
        tables += [_by_network(kind, of_kind, metric) for metric in measured]
    return tables


def _learners(kind: str, experiments: Experiments, metrics: list[str]) -> StudyTable:
    statistics: tuple[Statistic, ...] = ("mean", "sd")
    columns = [_column(experiments, metric, statistic) for metric in metrics for statistic in statistics]
    headings = [heading for metric in metrics for heading in (HEADINGS[metric][0], f"{HEADINGS[metric][0]} SD")]
    rows = [
        TableRow(name, tuple(column[index] for column in columns)) for index, name in enumerate(experiments.learners)
    ]
    return StudyTable(
        f"learners-{kind}",
        f"Learners, {kind} networks: means over networks and sample sizes",
        ("learner", *headings),
        tuple(rows),
        f"{experiments.extent()} SD is over the randomisations of an experiment; 0 is exact. "
        "Best and worst are marked among the learners with a number in every experiment.",
    )


def _column(experiments: Experiments, metric: str, statistic: Statistic) -> tuple[TableCell, ...]:
    style = HEADINGS[metric][1]
    entries = [TableCell(experiments.mean(name, metric, statistic), style=style) for name in experiments.learners]
    # A higher degree is neither better nor worse.
    if metric == "degree" and statistic == "mean":
        return tuple(entries)
    return with_marks(
        entries,
        lower_is_better=statistic == "sd" or metric in LOWER_IS_BETTER,
        judged=[experiments.is_complete(name, metric, statistic) for name in experiments.learners],
    )


def _by_network(kind: str, experiments: Experiments, metric: str) -> StudyTable:
    """Return means over the sizes that all learners of the network have run on."""
    heading, style = HEADINGS[metric]
    rows = []
    for network in experiments.networks:
        of_network = experiments.of_networks([network])
        shared = of_network.shared_by(of_network.learners)
        entries = [TableCell(shared.mean(learner, metric), style=style) for learner in experiments.learners]
        if metric != "degree":
            judged = [shared.is_complete(learner, metric) for learner in experiments.learners]
            entries = list(with_marks(entries, lower_is_better=metric in LOWER_IS_BETTER, judged=judged))
        rows.append(TableRow(network, tuple(entries)))
    return StudyTable(
        f"{metric.replace('_', '-')}-by-network-{kind}",
        f"{heading[0].upper()}{heading[1:]} by network, {kind} networks: means over sample sizes",
        ("network", *experiments.learners),
        tuple(rows),
        f"For each network over the sizes that all its learners have run on. {experiments.left_out()}",
    )
