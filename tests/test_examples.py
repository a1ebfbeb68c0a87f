"""The scripts in examples/ run, and print what they say one should see."""

from __future__ import annotations

import importlib.util
import re
import textwrap
from pathlib import Path
from types import ModuleType

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def _script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _shown(script: ModuleType) -> list[str]:
    """What one should see: the lines that are set in after "You should see"."""
    (block,) = re.findall(r"^You should see.*?:\n\n((?:    .*\n)+)", str(script.__doc__), flags=re.M)
    return textwrap.dedent(block).splitlines()


@pytest.mark.parametrize("name", ["sachs", "own_algorithm"])
def test_what_should_be_seen_is_what_is_printed(name: str) -> None:
    script = _script(name)
    assert list(script.main()) == _shown(script)


def test_an_audit_of_pgmpy_finds_what_its_page_says() -> None:
    script = _script("audit_pgmpy")
    lines = list(script.main(rows=300, repeats=4))
    titles = [line.partition(":")[0] for line in lines if not line.startswith(" ")]
    assert titles == ["pgmpy", "hc-stable"]
    assert "hc-stable: One table, one graph: 4 layouts gave the same graph." in lines
    # No edge of ours depends on the layout.
    assert len(lines) - lines.index("hc-stable: One table, one graph: 4 layouts gave the same graph.") == 2
    assert [line.partition(":")[0] for line in _shown(script) if not line.startswith(" ")] == titles


def test_every_script_is_on_the_page_and_tested() -> None:
    scripts = sorted(path.stem for path in EXAMPLES.glob("*.py"))
    assert scripts == ["audit_pgmpy", "own_algorithm", "sachs"]
    page = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    for name in scripts:
        question = str(_script(name).__doc__).splitlines()[0]
        assert f"| [{name}.py]({name}.py) | {question} |" in page
