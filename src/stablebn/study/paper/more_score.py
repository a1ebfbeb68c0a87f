"""Compare accuracy with score: by sample size, by network, and with the optimal graph where it is known."""

from __future__ import annotations

from collections.abc import Callable

from stablebn.messages import counted
from stablebn.study.paper.paper import PROVER, in_stable_order, true_degree
from stablebn.study.tables.study_table import StudyTable, TableCell, TableRow, with_marks
from stablebn.study.tables.summary import Experiments, Trial, mean_of

HIGHEST = "best"
OVER = ("tabu-stable", in_stable_order("fges"))
"""The learners with which `best` is compared by network."""

MEASURES = {
    "normalised_bic": ("normalised BIC", ".4f"),
    "f1": ("F1", ".4f"),
    "bsf": ("BSF", ".4f"),
    "shd": ("SHD", ".2f"),
    "seconds": ("seconds", ".3g"),
}
ACCURACY = ("f1", "bsf", "shd")
ALL_SIZES = "all sizes"
LOWER_IS_BETTER = ("shd", "seconds")


def more_score(kind: str, experiments: Experiments) -> StudyTable:
    """Return a table of score and accuracy by sample size, and over all sizes."""
    parts = {f"{size:,} rows": experiments.of_size(size) for size in experiments.sizes} | {ALL_SIZES: experiments}
    rows = []
    for part, selected in parts.items():
        columns = [
            [TableCell(_highest(selected, learner)) for learner in selected.learners],
            *(_column(selected, metric) for metric in MEASURES),
            [TableCell(_excess_degree(selected, learner), style="+.2f") for learner in selected.learners],
            *zip(*(_better(selected, learner) for learner in selected.learners), strict=True),
        ]
        for index, learner in enumerate(selected.learners):
            rows.append(TableRow(f"{part}, {learner}", tuple(column[index] for column in columns)))
    return StudyTable(
        f"more-score-{kind}",
        f"What more score buys, {kind} networks: means over networks",
        (
            "rows, learner",
            "highest score",
            *(heading for heading, _ in MEASURES.values()),
            "degree less the true one",
            "best has the higher F1, the lower",
            "best has the lower SHD, the higher",
        ),
        tuple(rows) if HIGHEST in experiments.learners else (),
        f"{experiments.extent()} Samples with identical or constant variables are included; hailfinder2 and win95pts2 "
        "replace hailfinder and win95pts. Highest score: on how many samples no other learner scores higher. The last "
        "columns: on how many samples `best` has a better value than this learner, and on how many a worse one. Values "
        "that depend on the layout are compared by their means.",
    )


def more_score_by_network(kind: str, experiments: Experiments) -> StudyTable:
    """Return a table of the differences between `best` and other learners, by network."""
    metrics = ("normalised_bic", *ACCURACY)
    rows = []
    for network in experiments.networks:
        of_network = experiments.of_networks([network])
        rows.append(TableRow(network, tuple(_gain(of_network, metric, over) for over in OVER for metric in metrics)))
    headings = [f"{MEASURES[metric][0]}, over {over}" for over in OVER for metric in metrics]
    return StudyTable(
        f"more-score-by-network-{kind}",
        f"What more score buys, {kind} networks: best less another learner, means over sample sizes",
        ("network", *headings),
        tuple(rows) if HIGHEST in experiments.learners else (),
        f"{experiments.extent()} A lower SHD is better.",
    )


def proven(kind: str, experiments: Experiments, tried: int) -> StudyTable:
    """Return a table of the distances of learners from the optimal graph, for samples where it is known."""
    learners = experiments.learners if PROVER in experiments.learners else ()
    columns = [
        [TableCell(_below(experiments, learner), style=".3f") for learner in learners],
        [TableCell(_at_optimum(experiments, learner)) for learner in learners],
        *(_column(experiments, metric) for metric in MEASURES),
    ]
    return StudyTable(
        f"proven-{kind}",
        f"Where the best graph is known, {kind} networks: means over samples",
        ("learner", "nats below", "at the optimum", *(heading for heading, _ in MEASURES.values())),
        tuple(TableRow(learner, tuple(column[index] for column in columns)) for index, learner in enumerate(learners)),
        f"{experiments.extent()} `exact` proved its graph on all layouts of these, out of {counted(tried, 'sample')}; "
        "on the others it reached its time limit. At the optimum: in how many experiments every "
        "layout gave a graph with the score of the best one.",
    )


def _column(experiments: Experiments, metric: str) -> list[TableCell]:
    learners, style = experiments.learners, MEASURES[metric][1]
    return list(
        with_marks(
            [TableCell(experiments.mean(learner, metric), style=style) for learner in learners],
            lower_is_better=metric in LOWER_IS_BETTER,
        )
    )


def _means(trial: Trial, metric: str) -> float:
    mean_sd = trial.mean_sd[metric]
    return float("nan") if mean_sd is None else mean_sd.mean


def _pairs(experiments: Experiments, learner: str, other: str) -> list[tuple[Trial, Trial]]:
    return list(zip(experiments.trials(learner), experiments.trials(other), strict=True))


def _better(experiments: Experiments, learner: str) -> tuple[TableCell, TableCell]:
    """Count the samples on which `best` has the better F1 and the worse F1, and the same for SHD."""
    if learner == HIGHEST or HIGHEST not in experiments.learners:
        return TableCell(None), TableCell(None)
    pairs = _pairs(experiments, HIGHEST, learner)

    def count(metric: str, is_better: Callable[[float, float], bool]) -> int:
        return sum(is_better(_means(best, metric), _means(other, metric)) for best, other in pairs)

    more, less = float.__gt__, float.__lt__
    return (
        TableCell(f"{count('f1', more)}, {count('f1', less)}"),
        TableCell(f"{count('shd', less)}, {count('shd', more)}"),
    )


def _excess_degree(experiments: Experiments, learner: str) -> float | None:
    """Return the mean degree minus that of the true graphs."""
    degree = experiments.mean(learner, "degree")
    true = mean_of(true_degree(sample) for sample in experiments.samples)
    return None if degree is None or true is None else degree - true


def _highest(experiments: Experiments, learner: str) -> str:
    """Count the samples on which no learner has a higher score."""
    reached = 0
    for sample in experiments.samples:
        scores = {trial.learner: _means(trial, "normalised_bic") for trial in experiments.on(sample)}
        reached += scores[learner] == max(scores.values())
    return f"{reached} of {len(experiments.samples)}"


def _gain(experiments: Experiments, metric: str, over: str) -> TableCell:
    best, other = (experiments.mean(learner, metric) for learner in (HIGHEST, over))
    style = f"+{MEASURES[metric][1]}"
    return TableCell(None if best is None or other is None else best - other, style=style)


def _below(experiments: Experiments, learner: str) -> float:
    """Return the mean distance from the optimal score, over experiments and layouts, in nats."""
    gaps = [
        (_means(optimum, "normalised_bic") - _means(trial, "normalised_bic")) * trial.sample.rows
        for optimum, trial in _pairs(experiments, PROVER, learner)
    ]
    return sum(gaps) / len(gaps)


def _at_optimum(experiments: Experiments, learner: str) -> str:
    pairs = _pairs(experiments, PROVER, learner)
    reached = sum(
        {run.score for run in (*optimum.done, *trial.done)} == {optimum.done[0].score} for optimum, trial in pairs
    )
    return f"{reached} of {len(pairs)}"
