"""Make the tables of the paper, with the published numbers beside ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from stablebn.messages import counted
from stablebn.networks.model import Network
from stablebn.study.paper.claims import claims_table
from stablebn.study.paper.more_score import more_score, more_score_by_network, proven
from stablebn.study.paper.paper import (
    ALGORITHM_COLUMNS,
    BASELINES,
    CLIMBERS,
    KINDS,
    ORDERING_ROWS,
    ORDERINGS,
    RESIDUAL_LEARNERS,
    RESIDUAL_NETWORKS,
    TESTERS,
    PaperStudy,
    count_highest,
    in_stable_order,
    residual_key,
)
from stablebn.study.paper.published import CATEGORICAL, CONTINUOUS, SLIPS, NumberTables, experiment
from stablebn.study.tables.study_table import Grid, StudyTable, TableCell, TableRow, Value, with_marks
from stablebn.study.tables.summary import Experiments

SHOWN_NETWORKS = CATEGORICAL | CONTINUOUS

ORDER = (
    *("claims", "networks-categorical", "networks-continuous", "orderings-categorical", "orderings-continuous"),
    *("bic-categorical", "bic-continuous", "residual", "residual-graphs", "algorithms-categorical"),
    *("algorithms-continuous", "failures", "non-extendable", "degrees"),
    *("more-score-categorical", "more-score-continuous", "more-score-by-network-categorical"),
    *("more-score-by-network-continuous", "proven-categorical", "proven-continuous"),
)
"""The names of the tables in the order in which they are listed."""

NETWORK_COLUMNS = {
    "nodes": ("nodes", ",.0f"),
    "arcs": ("arcs", ",.0f"),
    "mean_in_degree": ("mean in-degree", ".2f"),
    "max_in_degree": ("max. in-degree", ",.0f"),
    "mean_degree": ("mean degree", ".2f"),
    "max_degree": ("max. degree", ",.0f"),
    "free_parameters": ("free parameters", ",.0f"),
}
ALGORITHM_HEADINGS = {
    "f1": ("F1", ".4f"),
    "f1_sd": ("F1 SD", ".4f"),
    "precision": ("precision", ".4f"),
    "recall": ("recall", ".4f"),
    "bsf": ("BSF", ".4f"),
    "shd": ("SHD", ".2f"),
    "normalised_bic": ("normalised BIC", ".4f"),
    "normalised_bic_sd": ("norm. BIC SD", ".4f"),
    "seconds": ("seconds", ".3g"),
}
DEGREE_COLUMNS = {
    f"{kind}_{statistic}": f"{kind}, {shown}" for kind in KINDS for statistic, shown in (("mean", "mean"), ("sd", "SD"))
}


def paper_tables(study: PaperStudy, networks: Mapping[str, Network], published: NumberTables) -> list[StudyTable]:
    """Return all tables of the paper for which there are results.

    Parameters
    ----------
    study : PaperStudy
    networks : mapping of name to Network
        The networks for tables that describe them; networks that are missing here have no row.
    published : NumberTables
        The published numbers; empty: tables show ours alone.
    """
    ours = study.figures(networks)
    tables = [
        claims_table(ours, published),
        *(_networks(kind, ours, published) for kind in KINDS),
        *(_orderings(kind, study.orderings(kind), ours, published) for kind in KINDS),
        *(_scores(kind, study.scores(kind), ours, published) for kind in KINDS),
        _residual(study.residual(), ours, published),
        _residual_graphs(study.residual()),
        *(_algorithms(kind, study.comparison(kind), ours, published) for kind in KINDS),
        _failures(study.without_prover(), ours, published),
        _non_extendable(study, ours, published),
        _degrees(study, ours, published),
        *(more_score(kind, study.searches(kind)) for kind in KINDS),
        *(more_score_by_network(kind, study.searches(kind)) for kind in KINDS),
        *(proven(kind, study.proven(kind), study.tried_to_prove(kind)) for kind in KINDS),
    ]
    return [table for table in tables if table.rows]


def _slip(key: str, published: NumberTables) -> str:
    """Return the known error in a published table, if that table is shown."""
    return f" {SLIPS[key]}" if key in published and key in SLIPS else ""


def _entries(
    row: str, columns: Iterable[str], ours: Grid, published: Grid, style: str = ".4f"
) -> tuple[TableCell, ...]:
    our_row, published_row = ours.get(row, {}), published.get(row, {})
    return tuple(TableCell(our_row.get(column), published_row.get(column), style) for column in columns)


def _networks(kind: str, ours: NumberTables, published: NumberTables) -> StudyTable:
    key = f"{kind}_networks"
    published_grid = published.get(key, {})
    rows = []
    for network, sizes in ours[key].items():
        published_sizes = published_grid.get(network, {})
        cells = [
            TableCell(sizes[column], published_sizes.get(column), style)
            for column, (_, style) in NETWORK_COLUMNS.items()
        ]
        rows.append(TableRow(SHOWN_NETWORKS[network], tuple(cells)))
    return StudyTable(
        f"networks-{kind}",
        f"The {kind} networks",
        ("network", *(heading for heading, _ in NETWORK_COLUMNS.values())),
        tuple(rows),
        "Counted from the files of the networks.",
    )


def _orderings(kind: str, experiments: Experiments, ours: NumberTables, published: NumberTables) -> StudyTable:
    key = f"orderings_{kind}"
    learners = [learner for learner in ORDERINGS if learner in experiments.learners]
    rows = []
    for row, (metric, statistic) in ORDERING_ROWS.items():
        entries = with_marks(
            _entries(row, learners, ours[key], published.get(key, {})),
            lower_is_better=statistic == "sd",
            judged=[experiments.is_complete(learner, metric, statistic) for learner in learners],
        )
        rows.append(TableRow(row, entries))
    return StudyTable(
        f"orderings-{kind}",
        f"Orderings of the variables, {kind} networks: means over networks and sample sizes",
        ("metric", *learners),
        tuple(rows) if learners else (),
        f"{experiments.extent()} SD is over the randomisations of an experiment; 0 is exact.{_slip(key, published)}",
    )


def _scores(kind: str, experiments: Experiments, ours: NumberTables, published: NumberTables) -> StudyTable:
    key = f"normalised_bic_{kind}"
    columns = [*(learner for learner in (*CLIMBERS, "best") if learner in experiments.learners), *BASELINES]
    rows = [
        TableRow(SHOWN_NETWORKS[network], with_marks(_entries(network, columns, ours[key], published.get(key, {}))))
        for network in KINDS[kind]
        if network in experiments.networks
    ]
    highest = [f"Tabu-Stable's is the highest of the four climbers' in {count_highest(ours[key])} networks"]
    if key in published:
        highest.append(f"in the paper in {count_highest(published[key])}")
    return StudyTable(
        f"bic-{kind}",
        f"Normalised BIC by network, {kind} networks: means over sample sizes",
        ("network", *columns),
        tuple(rows),
        f"{experiments.extent()} {'; '.join(highest)}.{_slip(key, published)}",
    )


def _residual(experiments: Experiments, ours: NumberTables, published: NumberTables) -> StudyTable:
    rows = []
    for variant in RESIDUAL_LEARNERS:
        our_grid, published_grid = (figures.get(residual_key(variant), {}) for figures in (ours, published))
        rows += [
            TableRow(f"{variant}, {int(size):,} rows", _entries(size, RESIDUAL_NETWORKS, our_grid, published_grid))
            for size in our_grid
        ]
    return StudyTable(
        "residual",
        "What is left of instability where columns are identical: SD of F1 with Tabu-Stable",
        ("layouts", *RESIDUAL_NETWORKS),
        tuple(rows),
        "Columns and rows are shuffled in all layouts. Names decide only between columns that the data do not "
        "distinguish. If names are kept, nothing varies; if such columns are merged, they are one node. 0 is exact. "
        f"{experiments.shared_by(RESIDUAL_LEARNERS.values()).left_out()}",
    )


def _residual_graphs(experiments: Experiments) -> StudyTable:
    rows = []
    for variant, learner in RESIDUAL_LEARNERS.items():
        graphs: dict[int, dict[str, Value]] = {}
        for trial in experiments.trials(learner):
            graphs.setdefault(trial.sample.rows, {})[trial.sample.network] = f"{trial.graphs} of {len(trial.done)}"
        for size, by_network in graphs.items():
            rows.append(
                TableRow(
                    f"{variant}, {size:,} rows", tuple(TableCell(by_network.get(name)) for name in RESIDUAL_NETWORKS)
                )
            )
    return StudyTable(
        "residual-graphs",
        "What is left of instability where columns are identical: different graphs of Tabu-Stable, of how many layouts",
        ("layouts", *RESIDUAL_NETWORKS),
        tuple(rows),
        "Graphs are compared arc by arc, under the names of the network.",
    )


def _algorithms(kind: str, experiments: Experiments, ours: NumberTables, published: NumberTables) -> StudyTable:
    key = f"algorithms_{kind}"
    learners, published_grid = experiments.learners, published.get(key, {})
    columns = [_algorithm_column(column, experiments, ours[key], published_grid) for column in ALGORITHM_COLUMNS]
    columns += [
        tuple(TableCell(ours[key][learner]["experiments"], style=",.0f") for learner in learners),
        tuple(TableCell(_one_graph(experiments, learner), style=",.0f") for learner in learners),
    ]
    rows = [TableRow(learner, tuple(column[place] for column in columns)) for place, learner in enumerate(learners)]
    note = (
        f"{experiments.extent()} Samples with identical or constant variables are excluded. Runs without a score "
        "still count in seconds, if they ended. Best and worst are marked among the learners with a number in every "
        "experiment: other means are over other networks."
    )
    if kind == "categorical":
        note += " Hailfinder2 and win95pts2 replace hailfinder and win95pts."
    if published_grid:
        if kind == "categorical":
            note += (
                " The published precision and recall of Tabu-Stable follow from the differences to FGES in the text."
            )
        else:
            note += " The paper gives no precision and recall of Tabu-Stable as it describes it."
        note += " It gives no seconds of Tabu-Stable; its other seconds are those of other programs on another machine."
    headings = [heading for heading, _ in ALGORITHM_HEADINGS.values()]
    return StudyTable(
        f"algorithms-{kind}",
        f"Algorithms, {kind} networks: means over networks and sample sizes",
        ("learner", *headings, "experiments with a score", "experiments with one graph"),
        tuple(rows),
        note,
    )


def _algorithm_column(column: str, experiments: Experiments, ours: Grid, published: Grid) -> tuple[TableCell, ...]:
    style = ALGORITHM_HEADINGS[column][1]
    learners = experiments.learners
    return with_marks(
        [TableCell(ours[learner][column], published.get(learner, {}).get(column), style) for learner in learners],
        lower_is_better=column in ("seconds", "shd") or column.endswith("_sd"),
        judged=[experiments.is_complete(learner, *ALGORITHM_COLUMNS[column]) for learner in learners],
    )


def _one_graph(experiments: Experiments, learner: str) -> int:
    """Count the experiments in which all runs learned the same graph."""
    return sum(trial.graphs == 1 and len(trial.done) == len(trial.runs) for trial in experiments.trials(learner))


def _failures(experiments: Experiments, ours: NumberTables, published: NumberTables) -> StudyTable:
    """Return a table of the learners and samples with failures, published or ours."""
    our_grid, published_grid = ours["failures_3h"], published.get("failures_3h", {})
    samples = {experiment(sample.network, sample.rows): sample for sample in experiments.samples}
    learners = [
        learner
        for learner in experiments.learners
        if any(row.get(learner, "none") != "none" for grid in (our_grid, published_grid) for row in grid.values())
    ]
    rows = []
    for name, sample in samples.items():
        if name in our_grid or name in published_grid:
            none: dict[str, Value] = {trial.learner: "none" for trial in experiments.on(sample)}
            rows.append(TableRow(name, _entries(name, learners, {name: none | our_grid.get(name, {})}, published_grid)))
    trials = [trial for sample in experiments.samples for trial in experiments.on(sample)]
    failed, runs = sum(len(trial.runs) - len(trial.done) for trial in trials), sum(len(trial.runs) for trial in trials)
    return StudyTable(
        "failures",
        "Runs that timed out or failed: of all randomisations, of some, or of none",
        ("experiment", *learners),
        tuple(rows),
        f"Of ours {failed:,} of {counted(runs, 'run')} timed out or failed.",
    )


def _non_extendable(study: PaperStudy, ours: NumberTables, published: NumberTables) -> StudyTable:
    key = "non_extendable_percent"
    learners = [*TESTERS, *map(in_stable_order, TESTERS)]
    present = [learner for learner in learners if any(learner in row for row in ours[key].values())]
    rows = [
        TableRow(row, _entries(row, present, ours[key], published.get(key, {}), ".1f"))
        for row in ours[key]
        if present and study.comparison(row.lower()).samples
    ]
    notes = [f"{kind.capitalize()}: {_learned(study.comparison(kind), present)}." for kind in KINDS]
    return StudyTable(
        "non-extendable",
        "Graphs that no DAG extends, and that therefore have no score: percent of those learned",
        ("networks", *present),
        tuple(rows),
        f"The experiments of the comparison of algorithms. {' '.join(notes)}",
    )


def _learned(experiments: Experiments, learners: Sequence[str]) -> str:
    trials = [trial for learner in learners for trial in experiments.trials(learner)]
    runs, done = sum(len(trial.runs) for trial in trials), sum(len(trial.done) for trial in trials)
    return f"{counted(done, 'graph')}; left out: {counted(runs - done, 'run')} that learned none"


def _degrees(study: PaperStudy, ours: NumberTables, published: NumberTables) -> StudyTable:
    key = "node_degree"
    learners = list(dict.fromkeys(learner for kind in KINDS for learner in study.comparison(kind).learners))
    rows = [
        TableRow(row, _entries(row, DEGREE_COLUMNS, ours[key], published.get(key, {})))
        for row in ("true graph", *learners)
    ]
    notes = [f"{kind.capitalize()}: {_learned(study.comparison(kind), learners)}." for kind in KINDS]
    return StudyTable(
        "degrees",
        "Node degree: mean, and mean of its SD over randomisations",
        ("graph", *DEGREE_COLUMNS.values()),
        tuple(rows) if learners else (),
        f"The experiments of the comparison of algorithms. {' '.join(notes)} Graphs that no DAG extends count here.",
    )
