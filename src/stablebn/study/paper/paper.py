"""Select the experiments of each table of the paper, and compute our numbers in the shape of the published ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from stablebn.networks.model import Network
from stablebn.study.paper.published import CATEGORICAL, CONTINUOUS, WITHOUT_TWINS, NumberTables, experiment
from stablebn.study.record import Sample
from stablebn.study.tables.study_table import Grid, Value
from stablebn.study.tables.summary import Experiments, Statistic, Trial, mean_of

KINDS = {"categorical": tuple(CATEGORICAL), "continuous": tuple(CONTINUOUS)}

ORDERINGS = ("tabu", "tabu-dec", "tabu-inc", "tabu-stable", "hc", "hc-stable")
CLIMBERS = ("tabu", "tabu-stable", "hc", "hc-stable")
SCORED = (*CLIMBERS, "tabu-dec", "tabu-inc", "best")
"""The learners that are compared by score, network by network; the paper has only some of them."""
BASELINES = ("empty", "true")
TESTERS = ("pc-stable", "gs", "inter-iamb")
OTHERS = ("fges", "mmhc", "h2pc", *TESTERS)


def in_stable_order(learner: str) -> str:
    """Return the label of a learner that follows the canonical order of the data in every choice."""
    return f"{learner} (stable order)"


PAPER_ALGORITHMS = ("tabu-stable", "hc-stable", "tabu", "hc", *OTHERS)
ALGORITHMS = (*PAPER_ALGORITHMS, *map(in_stable_order, OTHERS), "best")
SCORE_SEARCHERS = ("hc", "tabu", "hc-stable", "tabu-stable", in_stable_order("fges"), "best")
"""The learners whose scores and accuracy are compared."""
PROVER = "exact"
"""The exact learner, compared with them on the samples where it finishes."""

RESIDUAL_NETWORKS = ("hailfinder", "win95pts", "formed", "pathfinder", "hailfinder2", "win95pts2")
RESIDUAL_LEARNERS = {
    "names replaced": "tabu-stable",
    "names kept": "tabu-stable, names kept",
    "names replaced, duplicates merged": "tabu-stable, merged",
}


def residual_key(variant: str) -> str:
    """Return the name of the table of a variant; the paper has only the first variant."""
    return "residual_f1_sd" if variant == "names replaced" else f"residual_f1_sd, {variant}"


# The rows of the tables of orderings: the metric and the statistic that are averaged over experiments.
ORDERING_ROWS: dict[str, tuple[str, Statistic]] = {
    "Precision": ("precision", "mean"),
    "Recall": ("recall", "mean"),
    "F1": ("f1", "mean"),
    "F1 SD": ("f1", "sd"),
    "BSF": ("bsf", "mean"),
    "Normalised BIC": ("normalised_bic", "mean"),
    "Norm. BIC SD": ("normalised_bic", "sd"),
}
# The columns of the tables of algorithms.
ALGORITHM_COLUMNS: dict[str, tuple[str, Statistic]] = {
    "f1": ("f1", "mean"),
    "f1_sd": ("f1", "sd"),
    "precision": ("precision", "mean"),
    "recall": ("recall", "mean"),
    "bsf": ("bsf", "mean"),
    "shd": ("shd", "mean"),
    "normalised_bic": ("normalised_bic", "mean"),
    "normalised_bic_sd": ("normalised_bic", "sd"),
    "seconds": ("seconds", "mean"),
}


@dataclass(frozen=True)
class PaperStudy:
    """The paper's experiments.

    Attributes
    ----------
    experiments : Experiments
        All experiments that have been run.
    """

    experiments: Experiments

    def orderings(self, kind: str) -> Experiments:
        """Return the experiments of the tables of orderings: all samples of the networks of a kind."""
        return self.experiments.of_networks(KINDS[kind]).shared_by(ORDERINGS)

    def scores(self, kind: str) -> Experiments:
        """Return the mean normalised BIC (over sizes) of learned, empty and true graphs by network."""
        return self.experiments.of_networks(KINDS[kind]).shared_by(SCORED)

    def scores_by_network(self, kind: str) -> Grid:
        """Return the mean normalised BIC over sizes of the learned, the empty and the true graph of each network."""
        experiments = self.scores(kind)
        grid: Grid = {}
        for network in experiments.networks:
            of_network = experiments.of_networks([network])
            grid[network] = {
                **{learner: of_network.mean(learner, "normalised_bic") for learner in of_network.learners},
                "empty": mean_of(sample.empty_score / sample.rows for sample in of_network.samples),
                "true": mean_of(sample.true_score / sample.rows for sample in of_network.samples),
            }
        return grid

    def residual(self) -> Experiments:
        """Return the experiments on networks with identical columns, and on their variants without these columns."""
        return self.experiments.of_networks(RESIDUAL_NETWORKS)

    def comparison(self, kind: str) -> Experiments:
        """Return the experiments that all algorithms have run on, without identical and constant columns."""
        distinct = self._without_twins(kind).where(lambda sample: sample.identical == sample.constants == 0)
        return distinct.shared_by(ALGORITHMS)

    def searches(self, kind: str) -> Experiments:
        """Return the experiments of `SCORE_SEARCHERS`, including samples with constant columns."""
        return self._without_twins(kind).shared_by(SCORE_SEARCHERS)

    def proven(self, kind: str) -> Experiments:
        """Return the experiments of `SCORE_SEARCHERS` and the exact learner on samples where the latter finished."""
        experiments = self._without_twins(kind)
        known = {trial.sample for trial in experiments.trials(PROVER) if len(trial.done) == len(trial.runs)}
        return experiments.where(lambda sample: sample in known).shared_by((*SCORE_SEARCHERS, PROVER))

    def without_prover(self) -> Experiments:
        """Return the experiments without the exact learner, which has a short time limit and need not finish."""
        return self.experiments.without(PROVER)

    def tried_to_prove(self, kind: str) -> int:
        """Count the samples that the exact learner has run on."""
        return len(self._without_twins(kind).trials(PROVER))

    def _without_twins(self, kind: str) -> Experiments:
        return self.experiments.of_networks([WITHOUT_TWINS.get(network, network) for network in KINDS[kind]])

    def figures(self, networks: Mapping[str, Network]) -> NumberTables:
        """Return our numbers, under the names of the published tables."""
        figures: NumberTables = {
            **{
                residual_key(variant): residual_grid(self.residual(), learner)
                for variant, learner in RESIDUAL_LEARNERS.items()
            },
            "failures_3h": failures_grid(self.without_prover()),
            "non_extendable_percent": {
                kind.capitalize(): _non_extendable_percents(self.comparison(kind)) for kind in KINDS
            },
            "stable_networks": {kind: _stable_networks(self.orderings(kind)) for kind in KINDS},
            "node_degree": _degrees({kind: self.comparison(kind) for kind in KINDS}),
        }
        for kind, names in KINDS.items():
            figures[f"{kind}_networks"] = {name: sizes_of(networks[name]) for name in names if name in networks}
            figures[f"orderings_{kind}"] = _orderings(self.orderings(kind))
            figures[f"normalised_bic_{kind}"] = self.scores_by_network(kind)
            figures[f"algorithms_{kind}"] = _algorithms(self.comparison(kind))
        return figures


def sizes_of(network: Network) -> dict[str, Value]:
    """Return the size and the degrees of a network."""
    dag = network.dag
    into = [len(dag.parents(node)) for node in dag.nodes]
    total = [len(dag.parents(node)) + len(dag.children(node)) for node in dag.nodes]
    return {
        "nodes": len(dag.nodes),
        "arcs": len(dag.arcs),
        "mean_in_degree": sum(into) / len(into),
        "max_in_degree": max(into),
        "mean_degree": sum(total) / len(total),
        "max_degree": max(total),
        "free_parameters": network.free_parameters,
    }


def _orderings(experiments: Experiments) -> Grid:
    return {
        row: {learner: experiments.mean(learner, metric, statistic) for learner in experiments.learners}
        for row, (metric, statistic) in ORDERING_ROWS.items()
    }


def count_highest(scores: Grid) -> str:
    """Count the networks in which no learner of the HC and Tabu family scores higher than Tabu-Stable."""
    wins = 0
    for row in scores.values():
        learned = [value for learner in CLIMBERS if isinstance(value := row.get(learner), float)]
        wins += row.get("tabu-stable") == max(learned, default=None)
    return f"{wins} of {len(scores)}"


def _stable_networks(experiments: Experiments) -> dict[str, Value]:
    """Count for every learner the networks in which F1 does not depend on the layout, on any sample."""
    counts: dict[str, Value] = {}
    for learner in experiments.learners:
        trials = experiments.trials(learner)
        unstable = {trial.sample.network for trial in trials if (f1 := trial.mean_sd["f1"]) is None or f1.sd != 0}
        networks = {trial.sample.network for trial in trials}
        counts[learner] = f"{len(networks - unstable)} of {len(networks)}"
    return counts


def residual_grid(experiments: Experiments, learner: str) -> Grid:
    """Return the SD of F1 by number of rows and network."""
    grid: Grid = {}
    for trial in experiments.trials(learner):
        f1 = trial.mean_sd["f1"]
        grid.setdefault(str(trial.sample.rows), {})[trial.sample.network] = None if f1 is None else f1.sd
    return grid


def _algorithms(experiments: Experiments) -> Grid:
    """Return the columns of the paper, and the number of experiments with a score, which the paper does not have."""
    grid: Grid = {}
    for learner in experiments.learners:
        grid[learner] = {
            column: experiments.mean(learner, metric, statistic)
            for column, (metric, statistic) in ALGORITHM_COLUMNS.items()
        }
        grid[learner]["experiments"] = experiments.known(learner, "normalised_bic")
    return grid


def failures_grid(experiments: Experiments) -> Grid:
    """Return, for samples with runs that failed or timed out, how many did for each learner: all, some or none."""
    grid: Grid = {}
    for sample in experiments.samples:
        failures: dict[str, Value] = {trial.learner: _failed(trial) for trial in experiments.on(sample)}
        if set(failures.values()) - {"none"}:
            grid[experiment(sample.network, sample.rows)] = failures
    return grid


def _failed(trial: Trial) -> str:
    if len(trial.done) == len(trial.runs):
        return "none"
    return "some" if trial.done else "all"


def _non_extendable_percents(experiments: Experiments) -> dict[str, Value]:
    """Return for every learner the percentage of learned graphs that no DAG extends."""
    percents: dict[str, Value] = {}
    for learner in experiments.learners:
        trials = experiments.trials(learner)
        learned = sum(len(trial.done) for trial in trials)
        percents[learner] = 100 * sum(trial.non_extendable for trial in trials) / learned if learned else None
    return percents


def _degrees(comparisons: Mapping[str, Experiments]) -> Grid:
    grid: Grid = {"true graph": {}}
    for kind, experiments in comparisons.items():
        grid["true graph"][f"{kind}_mean"] = mean_of(map(true_degree, experiments.samples))
        for learner in experiments.learners:
            row = grid.setdefault(learner, {})
            row[f"{kind}_mean"] = experiments.mean(learner, "degree")
            row[f"{kind}_sd"] = experiments.mean(learner, "degree", "sd")
    return grid


def true_degree(sample: Sample) -> float:
    """Return the mean degree of the network of a sample."""
    return 2 * sample.arcs / sample.nodes
