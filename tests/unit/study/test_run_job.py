from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from tests.preparing import prepare
from tests.unit.study.studies import study_of

import stablebn as sb
from stablebn.io.sources import read
from stablebn.prepare.relayout import lay_out
from stablebn.study.jobs import Job, jobs_of
from stablebn.study.record import Record
from stablebn.study.run_job import work
from stablebn.study.study_networks import fingerprint


def _job(folder: Path, *lines: str, network: str = "asia", limit: float = 60, rows: int = 200) -> Job:
    top = f'networks = ["{network}"]\nsizes = [{rows}]\nrandomisations = 1\ntime_limit = {limit!r}\n[[learners]]\n'
    (job,) = jobs_of(study_of(folder, top + "\n".join(lines)))
    return job


def _sample(job: Job) -> pa.Table:
    return job.network.model.sample(job.rows, seed=job.sample_seed)


def _done(job: Job) -> Record:
    record = work(job)[1]
    assert (record.status, record.reason) == ("done", "")
    return record


def test_a_record_says_what_the_library_says(tmp_path: Path) -> None:
    job = _job(tmp_path, 'algorithm = "hc"')
    columns = read(_sample(job)).columns
    layout = lay_out(columns, prepare(columns).kinds, ("columns", "rows", "names"), seed=1, number=1)
    names = {alias: name for name, alias in layout.aliases.items()}
    result = sb.learn(layout.columns, "hc")
    arcs = sorted((names[u], names[v]) for u, v in result.arcs)
    right = sb.compare(sb.DAG(columns, arcs), sb.read_network("asia"))

    record = _done(job)
    assert record.graph == json.dumps([[u, v, "->"] for u, v in arcs])
    assert (record.score, record.extendable) == (result.score, True)
    assert (record.precision, record.recall, record.f1) == (right.precision, right.recall, right.f1)
    assert (record.bsf, record.shd, record.degree) == (right.bsf, right.shd, right.degree)


def test_the_best_graph_is_one_in_every_layout_and_effort_is_an_option(tmp_path: Path) -> None:
    top = 'networks = ["asia"]\nsizes = [300]\nrandomisations = 3\nvary = ["columns", "rows", "names", "levels"]\n'
    usual = '[[learners]]\nalgorithm = "best"\n'
    records = [
        _done(job) for job in jobs_of(study_of(tmp_path, f'{top}{usual}{usual}label = "quick"\neffort = "low"\n'))
    ]
    assert [record.learner for record in records].count("quick") == 3
    assert len({(record.learner, record.graph, record.score) for record in records}) == 2


def test_a_sample_says_what_the_library_says(tmp_path: Path) -> None:
    job = _job(tmp_path, 'algorithm = "hc"', rows=20)
    sample, _ = work(job)
    assert sample is not None
    table, asia = _sample(job), sb.read_network("asia")
    assert (sample.network, sample.kind, sample.rows, sample.nodes, sample.arcs) == ("asia", "categorical", 20, 8, 8)
    assert sample.empty_score == sb.score([], table).total
    assert sample.true_score == sb.score(asia, table).total
    assert sample.constants == len(sb.learn(table).constants) > 0


@pytest.mark.parametrize("lines", [['score = "bde"'], ["k = 3.0"], ['duplicates = "merge"'], ['vary = ["units"]']])
def test_the_score_is_the_bic_of_the_graph_whatever_was_learned_with(tmp_path: Path, lines: list[str]) -> None:
    network = sb.random_network(5, continuous="units" in lines[0], seed=3)
    name = "five.xdsl" if network.is_continuous else "five.bif"
    network.write(tmp_path / name)
    job = _job(tmp_path, 'algorithm = "hc"', *lines, network=name)
    record = _done(job)
    assert record.graph is not None
    arcs = [(u, v) for u, v, _ in json.loads(record.graph)]
    assert record.score == sb.score(sb.DAG(network.nodes, arcs), _sample(job)).total


def test_a_sample_of_a_mixed_network_is_drawn_and_laid_out_by_its_kinds(tmp_path: Path) -> None:
    network = sb.random_network(6, kinds="mixed", seed=3)
    network.write(tmp_path / "six.json")
    lines = ('algorithm = "hc"', 'vary = ["rows", "columns", "names", "levels", "units"]')
    job = _job(tmp_path, *lines, network="six.json")
    assert job.network.model.kinds == network.kinds
    drawn = read(_sample(job)).columns
    layout = lay_out(drawn, network.kinds, ("levels", "units"), seed=1, number=1)
    assert prepare(layout.columns).kinds == network.kinds
    assert fingerprint(job.network.model) == fingerprint(network)
    assert fingerprint(network) != fingerprint(sb.random_network(6, kinds="mixed", seed=4))


def test_a_graph_that_no_dag_extends_has_no_score_and_no_comparison(tmp_path: Path) -> None:
    sb.random_network(10, density=2.0, continuous=True, seed=37).write(tmp_path / "dense.xdsl")
    record = _done(_job(tmp_path, 'algorithm = "gs"', network="dense.xdsl", rows=150))
    assert record.extendable is False
    assert (record.score, record.f1, record.bsf, record.shd) == (None, None, None, None)
    assert record.graph is not None
    assert record.degree == 2 * len(json.loads(record.graph)) / 10


def test_a_run_that_was_cut_off_is_timed_out_and_has_no_graph(tmp_path: Path) -> None:
    record = work(_job(tmp_path, 'algorithm = "tabu-stable"', limit=1e-9))[1]
    assert (record.status, record.reason) == ("timed out", "not finished within 1e-09 seconds")
    assert (record.graph, record.score, record.f1, record.extendable) == (None, None, None, None)


def test_an_error_is_an_outcome_with_its_reason_in_one_line(tmp_path: Path) -> None:
    sample, record = work(_job(tmp_path, 'algorithm = "tabu"', 'score = "bge"'))
    assert sample is not None
    assert record.status == "failed"
    assert record.reason.startswith("OptionError: score='bge' is not defined for categorical data")
    assert "\n" not in record.reason


def test_a_sample_that_cannot_be_had_is_an_outcome_too(tmp_path: Path) -> None:
    sb.random_network(5, continuous=True, seed=1).write(tmp_path / "five.xdsl")
    sample, record = work(_job(tmp_path, 'algorithm = "tabu"', network="five.xdsl", rows=2))
    assert sample is None
    assert (record.status, record.reason.partition(":")[0]) == ("failed", "DataError")
