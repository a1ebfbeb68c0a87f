import subprocess
import sys
from pathlib import Path

import pytest


def _modules_after(statement: str) -> set[str]:
    program = f"import sys; {statement}; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_import_is_light() -> None:
    heavy = {"numba", "pandas", "polars", "pyarrow", "numpy", "networkx", "scipy"}
    assert not _modules_after("import stablebn") & heavy


def test_learning_from_a_file_imports_only_what_it_needs(tmp_path: Path) -> None:
    data = tmp_path / "small.csv"
    data.write_text("a,b\nx,p\ny,q\nx,q\n")
    idle = {
        "numba",
        "scipy",
        "narwhals",
        "pyarrow.compute",
        "pandas",
        "rich",
        "matplotlib",
        "jinja2",
        "stablebn.networks",
        "stablebn.study",
        "stablebn.resampling",
        "stablebn.prepare.dask.distributed_table",
        "xml",
    }
    assert not _modules_after(f"import stablebn.cli.commands.learn, stablebn; stablebn.learn({str(data)!r})") & idle


def test_the_command_does_not_import_what_checks_values(tmp_path: Path) -> None:
    data = tmp_path / "small.csv"
    data.write_text("a,b\nx,p\ny,q\nx,q\n")
    learn = ["learn", str(data), "--score", "aic", "--out", str(tmp_path / "graph.json"), "--quiet"]
    modules = _modules_after(f"from stablebn.cli.main import app; app({learn!r}, standalone_mode=False)")
    assert "stablebn.api.learn" in modules
    assert not {name for name in modules if name.startswith("pydantic")}
    assert (tmp_path / "graph.json").exists()


@pytest.mark.parametrize(
    ("algorithm", "used", "unused"),
    [
        ("hc-stable", {"hc_stable"}, {"fges", "pc_stable", "gs"}),
        ("tabu-stable", {"tabu_stable", "stable_order", "hc", "tabu"}, {"fges", "pc_stable", "gs"}),
        ("pc-stable", {"pc_stable"}, {"tabu", "hc", "fges", "gs"}),
        ("fges", {"fges"}, {"tabu", "hc", "pc_stable", "gs"}),
    ],
)
def test_learning_from_a_frame_imports_only_the_algorithm_that_runs(
    algorithm: str, used: set[str], unused: set[str]
) -> None:
    data = "{'a': ['x', 'y', 'x'], 'b': ['p', 'q', 'q']}"
    modules = _modules_after(f"import stablebn; stablebn.learn({data}, {algorithm!r})")
    algorithms = {name.removeprefix("stablebn.learners.") for name in modules if name.startswith("stablebn.learners.")}
    assert used <= algorithms
    assert not algorithms & unused
    assert not algorithms & {"averaged", "best", "exact", "h2pc", "inter_iamb", "mmhc", "shared.proven"}
    assert any(name.startswith("constraint_based.") for name in algorithms) == (algorithm == "pc-stable")
    idle = ("stablebn.exact", "stablebn.prepare.out_of_core", "stablebn.prepare.incremental", "stablebn.prepare.cache")
    assert not [name for name in modules if name.startswith(idle)]


@pytest.mark.parametrize("before", ["enable", "disable"])
def test_whether_garbage_is_looked_for_stays_as_it_was(before: str) -> None:
    _modules_after(
        f"import gc; gc.{before}(); was = gc.isenabled(); import stablebn; stablebn.learn; assert gc.isenabled() == was"
    )


def test_tests_of_independence_import_no_library_of_functions() -> None:
    data = "{'a': [0.5, 1.5, 2.5, 0.1, 3.5], 'b': [1.0, 0.25, 2.0, 3.0, 0.5], 'c': [2.0, 1.0, 4.0, 0.5, 0.0]}"
    words = "{'a': ['x', 'y', 'x'], 'b': ['p', 'q', 'q']}"
    learn = f"import stablebn; stablebn.learn({data}, 'pc-stable'); stablebn.learn({words}, 'mmhc')"
    assert "scipy" not in _modules_after(learn)


def test_learning_needs_no_optional_package() -> None:
    program = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("pandas", "polars", "networkx", "sklearn", "scipy"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent())
import stablebn as sb
sb.learn({"a": ["x", "y", "x"], "b": ["p", "q", "q"]})
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_public_names_do_not_depend_on_what_was_used_first() -> None:
    data = "{'a': ['x', 'y', 'x'], 'b': ['p', 'q', 'q']}"
    _modules_after(f"import stablebn as sb; sb.score([], {data}); sb.learn({data})")
    _modules_after(f"import stablebn.learners, stablebn as sb; sb.learn({data}); sb.TabuStable().fit({data})")


def test_every_public_name_is_there() -> None:
    _modules_after(
        "import stablebn as sb; [getattr(sb, name) for name in sb.__all__]; assert set(sb.__all__) <= set(dir(sb))"
    )


def test_dir_lists_the_public_names_and_no_others_whatever_was_used() -> None:
    _modules_after(
        "import stablebn as sb; public = lambda: [name for name in dir(sb) if not name.startswith('__')]; "
        "assert public() == sorted(sb.__all__); sb.TabuStable; assert public() == sorted(sb.__all__); "
        "assert '__version__' in dir(sb)"
    )
