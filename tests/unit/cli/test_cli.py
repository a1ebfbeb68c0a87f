from __future__ import annotations

import csv
import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import networkx
import numpy as np
import pandas as pd
import pytest
from tests.terminal import read_terminal

import stablebn as sb
from stablebn.api.arguments import learn_options, repeatable_options, score_options
from stablebn.cli.main import app
from stablebn.cli.reference import command_reference
from stablebn.graph import compare, to_edge_list
from stablebn.learners import LEARNERS
from stablebn.networks.formats import read_graph_file
from stablebn.options import Option

COMMAND = [sys.executable, "-c", "from stablebn.cli.main import main; main()"]


def _run(*arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([*COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done


def _run_here(*arguments: object) -> None:
    """Run a command in this process, which is faster."""
    app([*map(str, arguments)], standalone_mode=False)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "asia.csv"
    sb.read_network("asia").sample(500, seed=1).to_pandas().to_csv(path, index=False)
    return path


def test_learn_writes_the_graph_and_says_so(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "graph.json"
    done = _run("learn", data, "--algorithm", "tabu-stable", "--out", out)
    result = sb.learn(data, "tabu-stable")
    written = json.loads(out.read_text())
    assert written == json.loads(result.to_json())
    assert f"Learned {len(result.arcs)} arcs among 8 variables" in done.stdout
    assert f"Written to {out}" in done.stdout
    assert result.fingerprint in done.stdout
    assert done.stderr == ""


def test_learn_without_a_file_prints_the_arcs(data: Path) -> None:
    done = _run("learn", data, "-a", "hc-stable")
    result = sb.learn(data, "hc-stable")
    for u, v, mark in to_edge_list(result.marked):
        strength = result.strengths[(u, v) if (u, v) in result.arcs else (v, u)]
        assert re.search(rf"^  {u} {mark} {v} +{strength:,.2f}$", done.stdout, flags=re.M)
    assert "Edges, and the BIC lost without each:" in done.stdout


def test_quiet_prints_nothing(data: Path, tmp_path: Path) -> None:
    done = _run("learn", data, "--quiet", "--out", tmp_path / "g.json")
    assert (done.stdout, done.stderr) == ("", "")
    assert (tmp_path / "g.json").exists()


@pytest.mark.parametrize("format_", ["json", "dot", "csv", "graphml"])
def test_every_format_is_written(data: Path, tmp_path: Path, format_: str) -> None:
    named, asked = tmp_path / f"g.{format_}", tmp_path / "graph"
    _run("learn", data, "--out", named)
    _run("learn", data, "--out", asked, "--format", format_)
    assert named.read_text() == asked.read_text()


@pytest.mark.parametrize("algorithm", ["tabu-stable", "pc-stable", "fges"])
def test_every_output_marks_arbitrary_directions(
    data: Path, tmp_path: Path, algorithm: str, capsys: pytest.CaptureFixture[str]
) -> None:
    result = sb.learn(data, algorithm)
    assert result.undirected
    for directions, flags in (("marked", []), ("cpdag", ["--cpdag"]), ("dag", ["--dag"])):
        shown = result.shown(directions)  # type: ignore[arg-type]
        for format_ in ("json", "dot", "csv", "graphml"):
            out = tmp_path / f"{directions}.{format_}"
            _run_here("learn", data, "-a", algorithm, "--out", out, *flags, "--quiet")
            read = read_graph_file(out)
            assert to_edge_list(read) == to_edge_list(shown)
            assert _strengths_in(out) == {frozenset(arc): own for arc, own in result.strengths.items()}
        capsys.readouterr()
        _run_here("learn", data, "-a", algorithm, *flags)
        lines = capsys.readouterr().out.splitlines()
        assert [line.split()[:3] for line in lines[-len(result.arcs) :]] == [
            [str(a), mark, str(b)] for a, b, mark in to_edge_list(shown)
        ]


def _strengths_in(path: Path) -> dict[frozenset[str], float]:
    """Return the strength of each edge of a file, read with the standard tool for its format."""
    text = path.read_text()
    if path.suffix == ".csv":
        return {
            frozenset((row["from"], row["to"])): float(row["strength"])
            for row in csv.DictReader(text.splitlines())
            if row["to"]
        }
    if path.suffix == ".json":
        return {frozenset((u, v)): strength for u, v, strength in json.loads(text)["strengths"]}
    if path.suffix == ".dot":
        found = re.findall(r'"(.*)" -> "(.*)" \[.*strength="(.*)"\]', text)
        return {frozenset((u, v)): float(strength) for u, v, strength in found}
    edges = networkx.read_graphml(path).edges(data="strength")
    return {frozenset((u, v)): strength for u, v, strength in edges}


def test_dag_and_cpdag_cannot_both_be_shown(data: Path) -> None:
    assert "--dag and --cpdag" in _run("learn", data, "--dag", "--cpdag", code=2).stderr


def test_explain_says_why(data: Path) -> None:
    done = _run("explain", data, "lung", "smoke", "--algorithm", "pc-stable", "--alpha", "0.01")
    explained = sb.learn(data, "pc-stable", alpha=0.01).explain("lung", "smoke")
    assert done.stdout == f"{explained}\n"
    told = _run("explain", data, "lung", "smoke", "--algorithm", "pc-stable", "--alpha", "0.01", "--json")
    assert json.loads(told.stdout) == explained.to_dict()
    assert "no variable 'lunge'" in _run("explain", data, "lunge", "smoke", code=2).stderr


def test_options_reach_the_learner(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "g.json"
    _run(
        "learn",
        data,
        "-a",
        "tabu-stable",
        "-s",
        "bde",
        "--iss",
        5,
        "--tabu",
        4,
        "--noinc",
        2,
        "--max-parents",
        2,
        "--out",
        out,
    )
    result = sb.learn(data, "tabu-stable", score="bde", iss=5, tabu=4, noinc=2, max_parents=2)
    assert json.loads(out.read_text())["score"] == result.score
    _run("learn", data, "--k", 2.5, "--out", out, "--force")
    assert json.loads(out.read_text())["score"] == sb.learn(data, k=2.5).score


def test_options_of_tests_reach_the_learner(data: Path, tmp_path: Path) -> None:
    out, trace = tmp_path / "graph.json", tmp_path / "trace.csv"
    options = ["--alpha", "0.01", "--test", "x2", "--max-condition", "2", "--order", "given", "--max-time", "60"]
    _run("learn", data, "--algorithm", "pc-stable", *options, "--out", out, "--trace", trace)
    result = sb.learn(data, "pc-stable", alpha=0.01, test="x2", max_condition=2, order="given", max_time=60.0)
    assert json.loads(out.read_text()) == json.loads(result.to_json())
    assert trace.read_text() == result.trace.to_csv()


def test_edges_without_a_direction_are_printed(tmp_path: Path) -> None:
    path = tmp_path / "dense.csv"
    table = sb.random_network(10, density=2.0, continuous=True, seed=38).sample(100, seed=1)
    table.to_pandas().to_csv(path, index=False)
    done = _run("learn", path, "--algorithm", "pc-stable", "--no-unit-free")
    result = sb.learn(path, "pc-stable", unit_free=False)
    assert result.undirected
    assert all(f"  {u} -- {v}\n" in done.stdout for u, v in result.undirected)
    assert "No DAG extends" in done.stdout
    out = tmp_path / "graph.json"
    _run("learn", path, "--algorithm", "pc-stable", "--no-unit-free", "--out", out)
    assert read_graph_file(out) == result.pdag


def test_trace_is_written(data: Path, tmp_path: Path) -> None:
    _run("learn", data, "--trace", tmp_path / "t.json", "--quiet")
    _run("learn", data, "--trace", tmp_path / "t.csv", "--quiet")
    trace = sb.learn(data).trace
    assert json.loads((tmp_path / "t.json").read_text()) == trace.to_dict()
    assert (tmp_path / "t.csv").read_text() == trace.to_csv()


def test_files_are_never_overwritten_unasked(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "g.json"
    out.write_text("precious")
    done = _run("learn", data, "--out", out, code=2)
    assert "--force" in done.stderr
    assert out.read_text() == "precious"
    _run("learn", data, "--out", out, "--force")
    assert "arcs" in out.read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["asia.csv", "g.json"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere.csv"], "nowhere.csv"),
        (["{data}", "--algorithm", "magic"], "tabu-stable"),
        (["{data}", "--score", "bge"], "bge"),
        (["{data}", "--out", "graph.magic"], "--format"),
        (["{data}", "--out", "no/such/dir/g.json"], "directory"),
        (["{data}", "--continuous", "dysp"], "dysp"),
    ],
)
def test_mistakes_are_a_message_and_not_a_traceback(data: Path, arguments: list[str], words: str) -> None:
    done = _run("learn", *(str(data) if word == "{data}" else word for word in arguments), code=2)
    assert words in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("option", "value"), [("--threads", 9999999), ("--k", 1e9), ("--max-iter", 10**20)])
def test_number_that_cannot_be_is_refused_in_a_line(data: Path, option: str, value: float) -> None:
    done = _run("learn", data, option, value, code=2)
    assert option.strip("-").replace("-", "_") in done.stderr
    assert "Traceback" not in done.stderr


def test_kinds_can_be_given(tmp_path: Path) -> None:
    path = tmp_path / "ages.csv"
    pd.DataFrame({"age": range(40), "height": [x * 1.5 + x % 7 for x in range(40)]}).to_csv(path, index=False)
    assert "set aside, alone in the graph: 'age'" in _run("learn", path).stdout
    for flags in (["--continuous", "age"], ["--keep", "age"]):
        assert "1 arc among 2 variables" in _run("learn", path, *flags).stdout


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # Without a penalty every arc helps: 100 variables keep the search busy for minutes.
    path = tmp_path_factory.mktemp("wide") / "wide.parquet"
    pd.DataFrame(np.random.default_rng(1).normal(size=(2000, 100))).rename(columns=str).to_parquet(path)
    return path


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_search_and_the_best_graph_so_far_is_written(
    wide: Path, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    out, checkpoint = tmp_path / "g.json", tmp_path / "g.checkpoint"
    options = ["--score", "loglik", "--out", out, "--checkpoint", checkpoint]
    given, shown = _on_a_terminal("learn", wide, *options, interrupt_at="steps", number=number)
    assert given == code
    assert "Traceback" not in shown
    written = json.loads(out.read_text())
    assert written["arcs"]
    assert not written["finished"]
    assert "With the same checkpoint it goes on from here" in written["warnings"][-1]["message"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["g.checkpoint", "g.json"]
    # It continues from the checkpoint, so it has at least as many arcs.
    more = _run("learn", wide, *options, "--max-time", 5, "--force")
    assert "Unfinished, so far" in more.stdout
    assert len(json.loads(out.read_text())["arcs"]) >= len(written["arcs"])


def test_a_signal_before_the_search_writes_nothing(wide: Path, tmp_path: Path) -> None:
    out = tmp_path / "g.json"
    code, shown = _on_a_terminal("learn", wide, "--out", out, interrupt_at="reading")
    assert (code, "No graph was written" in shown) == (130, True)
    assert list(tmp_path.iterdir()) == []


def _on_a_terminal(
    *arguments: object, interrupt_at: str | None = None, number: signal.Signals = signal.SIGINT
) -> tuple[int, str]:
    """Run a command on a terminal, send a signal when it shows certain words; return the exit code and the output."""
    parent, child = pty.openpty()
    environment = {**os.environ, "COLUMNS": "200"}
    command = [*COMMAND, *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=child, env=environment) as running:
        os.close(child)
        shown = b""
        interrupted = interrupt_at is None
        while piece := read_terminal(parent):
            shown += piece
            if not interrupted and str(interrupt_at).encode() in shown:
                running.send_signal(number)
                interrupted = True
        os.close(parent)
    assert interrupted
    return running.returncode, shown.decode()


def test_progress_is_shown_on_a_terminal_only(data: Path) -> None:
    hides_the_cursor = "\x1b[?25l"
    for command in ("learn", "check"):
        _, shown = _on_a_terminal(command, data)
        assert hides_the_cursor in shown
        assert "reading" in shown
    program = "from stablebn.cli.main import main; main()"
    elsewhere = subprocess.run(
        [sys.executable, "-c", program, "learn", data], capture_output=True, text=True, check=True
    )
    assert elsewhere.stderr == ""
    assert "\x1b" not in elsewhere.stdout


def test_stability_prints_the_verdict_and_writes_what_it_found(data: Path, tmp_path: Path) -> None:
    figures, edges, picture = tmp_path / "audit.json", tmp_path / "audit.csv", tmp_path / "audit.png"
    options = ["--repeats", 4, "--truth", "asia", "--seed", 3, "--vary", "columns, names"]
    done = _run("stability", data, "-a", "hc", *options, "--out", figures, "--plot", picture)
    audit = sb.stability(data, "hc", repeats=4, truth="asia", seed=3, vary=("columns", "names"))
    assert done.stdout == f"{audit.summary()}\nWritten to {figures} and {picture}.\n"
    assert done.stderr == ""
    assert figures.read_text() == audit.to_json()
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert _run("stability", data, "-a", "hc", *options, "--out", edges, "--quiet").stdout == ""
    assert edges.read_text() == audit.to_csv()


def test_options_of_stability_reach_the_learner(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "audit.json"
    options = ["--alpha", 0.01, "--test", "x2", "--order", "given", "--score", "bde", "--iss", 5]
    _run("stability", data, "--algorithm", "pc-stable", "--repeats", 3, *options, "--out", out)
    audit = sb.stability(data, "pc-stable", repeats=3, alpha=0.01, test="x2", order="given", score="bde", iss=5.0)
    assert out.read_text() == audit.to_json()


def test_stability_never_overwrites_unasked(data: Path, tmp_path: Path) -> None:
    for option, out in (("--out", tmp_path / "audit.csv"), ("--plot", tmp_path / "audit.svg")):
        out.write_text("precious")
        assert "--force" in _run("stability", data, "--repeats", 2, option, out, code=2).stderr
        assert out.read_text() == "precious"
        _run("stability", data, "--repeats", 2, option, out, "--force")
        assert out.read_text() != "precious"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--algorithm", "magic"], "tabu-stable"),
        (["--vary", "colour"], "columns"),
        (["--vary", "units"], "continuous"),
        (["--repeats", "1"], "repeats"),
        (["--out", "audit.txt"], ".json or .csv"),
        (["--plot", "audit.txt"], ".png"),
        (["--truth", "nowhere"], "nowhere"),
    ],
)
def test_mistakes_in_an_audit_are_a_message(data: Path, arguments: list[str], words: str) -> None:
    done = _run("stability", data, *arguments, code=2)
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_interrupted_audit_writes_nothing(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "audit.json"
    code, shown = _on_a_terminal("stability", data, "--repeats", 1_000_000, "--out", out, interrupt_at="layouts")
    assert code == 130
    assert "Nothing was written" in shown
    assert "Traceback" not in shown
    assert not out.exists()


def test_an_audit_shows_a_bar_on_a_terminal_only(data: Path) -> None:
    assert "layouts" in _on_a_terminal("stability", data, "--repeats", 3)[1]


def test_sample_writes_every_kind_of_table(tmp_path: Path) -> None:
    right = sb.read_network("asia").sample(300, seed=7)
    for ending in ("csv", "csv.gz", "parquet", "feather"):
        out = tmp_path / f"asia.{ending}"
        done = _run("sample", "asia", "-n", 300, "--seed", 7, "--out", out)
        assert "Drew 300 rows of 8 variables" in done.stdout
        learned, again = sb.learn(right), sb.learn(out)
        assert (learned.arcs, learned.score) == (again.arcs, again.score)
    assert "exists" in _run("sample", "asia", "--out", out, code=2).stderr
    assert ".parquet" in _run("sample", "asia", "--out", tmp_path / "x.doc", code=2).stderr
    assert _run("sample", "asia", "-n", 2).stdout.splitlines()[0] == ",".join(
        f'"{name}"' for name in right.column_names
    )


def test_sample_of_numbers_comes_back_to_the_last_bit(tmp_path: Path) -> None:
    network = sb.random_network(4, continuous=True, seed=1)
    network.write(tmp_path / "mine.xdsl")
    _run("sample", "mine", "--networks", tmp_path, "-n", 50, "--seed", 3, "--out", tmp_path / "x.csv")
    with open(tmp_path / "x.csv", newline="") as file:
        names, *rows = csv.reader(file)
    right = network.sample(50, seed=3)
    assert names == right.column_names
    assert [tuple(map(float, row)) for row in rows] == list(zip(*right.to_pydict().values(), strict=True))


def test_sample_of_a_mixed_network_comes_back_to_the_last_bit(tmp_path: Path) -> None:
    network = sb.random_network(4, kinds="mixed", seed=1)
    network.write(tmp_path / "mine.json")
    for ending in ("csv", "parquet"):
        out = tmp_path / f"x.{ending}"
        _run("sample", "mine", "--networks", tmp_path, "-n", 50, "--seed", 3, "--out", out)
        assert network.log_likelihood(out) == network.log_likelihood(network.sample(50, seed=3))
    first = (tmp_path / "x.csv").read_text().splitlines()[1]
    assert re.fullmatch(r'-?[\d.]+,"s\d","s\d",-?[\d.]+', first)


def test_networks_are_listed_with_their_source(tmp_path: Path) -> None:
    sb.random_network(5, seed=1).write(tmp_path / "mine.bif")
    shown = _run("networks", "--networks", tmp_path).stdout
    assert re.search(r"mine\s+.*mine\.bif", shown)
    assert re.search(r"asia\s+built in", shown)


def test_network_details_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    network = sb.random_network(5, seed=1)
    network.write(tmp_path / "mine.bif")
    monkeypatch.setattr("stablebn.networks.catalogue._pgmpy_folders", list)
    from click.testing import CliRunner

    from stablebn.cli.main import app

    shown = CliRunner().invoke(app, ["networks", "--networks", str(tmp_path), "--details"]).stdout
    assert re.search(rf"mine\s.*\s5\s+{len(network.arcs)}\s+{network.free_parameters}", shown)


def test_compare_shows_all_metrics_and_differences(data: Path, tmp_path: Path) -> None:
    learned, true, out = tmp_path / "g.json", tmp_path / "asia.bif", tmp_path / "figures.json"
    _run("learn", data, "--dag", "--out", learned)
    sb.read_network("asia").write(true)
    done = _run("compare", learned, true, "--out", out)
    right = compare(sb.learn(data), sb.read_network("asia"))
    assert str(right) in done.stdout
    assert json.loads(out.read_text())["f1"] == right.f1
    as_they_are = compare(sb.learn(data), sb.read_network("asia"), as_cpdag=False)
    assert str(as_they_are) in _run("compare", learned, true, "--as-they-are").stdout
    assert f"{_run('compare', learned, 'asia').stdout}Written to {out}.\n" == done.stdout
    _run("compare", learned, true, "--fail-under", right.f1)
    assert "below" in _run("compare", learned, true, "--fail-under", 1.0, code=1).stderr


def test_score_of_files(data: Path, tmp_path: Path) -> None:
    graph, network = tmp_path / "g.json", tmp_path / "fitted.bif"
    result = sb.learn(data)
    _run("learn", data, "--out", graph)
    assert repr(result.score) in _run("score", graph, data).stdout
    fitted = result.fit()
    fitted.write(network)
    shown = _run("score", network, data, "--score", "loglik", "--by-node").stdout
    assert repr(sb.score(result, data, "loglik").total) in shown
    assert repr(fitted.log_likelihood(data)) in shown
    assert all(str(name) in shown for name in result.nodes)


def test_score_of_a_network_by_its_name(data: Path) -> None:
    asia = sb.read_network("asia")
    shown = _run("score", "asia", data).stdout
    assert repr(sb.score(asia, data).total) in shown
    assert repr(sb.score("asia", data).total) in shown
    assert repr(asia.log_likelihood(data)) in shown


def test_compare_tells_the_intervention_distance_if_asked(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "figures.json"
    _run("learn", data, "--dag", "--out", tmp_path / "a.json")
    shown = _run("compare", tmp_path / "a.json", "asia", "--sid", "--out", out).stdout
    found = sb.compare(sb.learn(data), "asia", sid=True)
    assert f", SID {found.sid}\n" in shown
    figures = json.loads(out.read_text())
    assert (figures["sid"], figures["skeleton"]["f1"]) == (found.sid, found.skeleton.f1)


def test_broken_network_file_is_a_message(tmp_path: Path) -> None:
    (tmp_path / "broken.bif").write_text("network x {\n}\nvariable a {\n  type discrete [ 2 ] { y")
    done = _run("sample", tmp_path / "broken.bif", code=2)
    assert "broken.bif, line" in done.stderr
    assert "Traceback" not in done.stderr


def test_demo_shows_one_graph(data: Path) -> None:
    shown = _run("demo").stdout
    assert "Same graph, arc for arc:  True" in shown
    assert "Same score, to the bit:   True" in shown


def test_version_and_help() -> None:
    assert sb.__version__ in _run("--version").stdout
    assert "learn" in _run("--help").stdout


def _help(command: str) -> str:
    return " ".join(_run(command, "--help").stdout.split())


def test_help_tells_the_defaults() -> None:
    text = _help("learn")
    assert "by default 0.05" in text
    assert "hc, as in the paper, or tabu; by default hc" in text


@pytest.mark.parametrize("command", ["learn", "stability"])
def test_help_lists_every_learner_with_its_summary(command: str) -> None:
    text = _help(command)
    assert [name for name, learner in LEARNERS.items() if f"{name} {learner.summary}" not in text] == []


@pytest.mark.parametrize(
    ("command", "options"),
    [("learn", learn_options()), ("stability", repeatable_options()), ("score", score_options())],
)
def test_commands_have_the_options_of_the_table(command: str, options: tuple[Option, ...]) -> None:
    told = _options_of(command)
    assert [o.name for o in options if o.command_type and f"--{o.flag or o.name.replace('_', '-')}" not in told] == []


def _options_of(command: str) -> set[str]:
    """Return the long names of all options in the help of a command."""
    (found,) = (entry for entry in command_reference(app) if entry.name == command)
    names = {name for group in found.groups for entry in group.entries for name in entry.names}
    return {name.replace("--[no-]", "--") for name in names}


def test_a_search_can_start_at_the_graph_of_a_file(data: Path, tmp_path: Path) -> None:
    start, out = tmp_path / "start.csv", tmp_path / "graph.json"
    start.write_text("from,to\nsmoke,lung\n")
    _run("learn", data, "-a", "hc", "--start", start, "--max-iter", 0, "--out", out)
    assert json.loads(out.read_text())["arcs"] == [["smoke", "lung"]]


def test_an_option_of_other_learners_is_refused(data: Path) -> None:
    assert "algorithm='hc' has no option 'tabu'" in _run("learn", data, "-a", "hc", "--tabu", 5, code=2).stderr


def test_only_the_command_that_is_called_is_imported() -> None:
    program = (
        "import sys; from stablebn.cli.main import app; app(['networks'], standalone_mode=False); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "stablebn.api.learn" not in done.stdout.split()


def test_levels_are_declared_and_unseen_ones_told(tmp_path: Path) -> None:
    table, rows, network = tmp_path / "table.csv", tmp_path / "rows.csv", tmp_path / "network.bif"
    table.write_text("smoke,lung\n" + "no,no\nyes,yes\nno,yes\nyes,yes\n" * 9)
    rows.write_text("smoke,lung\nno,no\nmaybe,yes\n")
    plain, declared = (_run("learn", table, *own).stdout for own in ((), ("--levels", "smoke=no,yes,maybe")))
    assert plain != declared
    assert str(sb.learn(table, levels={"smoke": ["no", "yes", "maybe"]})).splitlines()[-1] in declared
    sb.learn(table).fit().write(network)
    told = _run("score", network, rows, "--all-categorical").stdout
    assert "Log-likelihood of these rows with the network's own parameters -inf" in told
    assert "column 'smoke' has levels that the network does not know" in told
    assert "'smoke' has 'maybe'" in _run("score", network, rows, "--levels", "smoke=no,yes", code=2).stderr
    assert "--levels" in _help("check")


@pytest.mark.parametrize("command", ["learn", "check", "stability", "bootstrap", "cross-validate", "sample", "study"])
def test_the_help_says_in_words_what_may_be_repeated(command: str) -> None:
    told = _help(command)
    assert "list[" not in told
    assert "repeat" in told.lower()


def test_learners_are_cross_validated(data: Path) -> None:
    found = sb.cross_validate(data, "hc", folds=3, seed=2, score="aic")
    said = _run("cross-validate", data, "-a", "hc", "--folds", 3, "--seed", 2, "--score", "aic").stdout
    assert said == f"{found}\n"
    assert "folds=1 must be an integer" in _run("cross-validate", data, "--folds", 1, code=2).stderr
    assert "--max-time" not in _help("cross-validate")


def test_a_cross_validation_is_written(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "folds.json"
    said = _run("cross-validate", data, "-a", "HC", "--folds", 3, "--out", out).stdout
    found = sb.cross_validate(data, "hc", folds=3)
    assert said == f"{found}\nWritten to {out}.\n"
    written = json.loads(out.read_text())
    assert (written["mean"], len(written["folds"])) == (found.mean, 3)
    assert "exists" in _run("cross-validate", data, "--out", out, code=2).stderr
    assert _run("cross-validate", data, "-a", "hc", "--folds", 3, "--out", out, "--force", "--quiet").stdout == ""
    assert out.read_text() == found.to_json()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device that is always full")
@pytest.mark.parametrize("arguments", [["networks"], ["check", "DATA"], ["learn", "--help"]])
def test_standard_output_on_a_full_disk_is_one_line(arguments: list[str], data: Path) -> None:
    command = [*COMMAND, *(str(data) if text == "DATA" else text for text in arguments)]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("error: cannot write to standard output: No space left on device.")
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="a device that can be read without end")
@pytest.mark.parametrize(
    "arguments",
    [
        ["learn", "DATA", "--algorithm", "tabu-stable", "--checkpoint", "/dev/zero"],
        ["bootstrap", "DATA", "--algorithm", "hc", "--replicates", "2", "--checkpoint", "/dev/zero"],
        ["verify", "/dev/zero", "DATA"],
        ["study", "/dev/zero"],
    ],
)
def test_a_device_is_not_read_without_end(arguments: list[str], data: Path) -> None:
    command = [*COMMAND, *(str(data) if text == "DATA" else text for text in arguments)]
    limit = "import resource; resource.setrlimit(resource.RLIMIT_AS, (2**33, 2**33)); "
    command[2] = limit + command[2]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2, done.stderr
    assert "/dev/zero" in done.stderr
