"""The examples of docs/stability.md are run, with the real packages where they are installed."""

from __future__ import annotations

import logging
import re
import warnings
from pathlib import Path

import pytest

import stablebn as sb

PAGE = Path(__file__).resolve().parents[3] / "docs" / "stability.md"
OURS, *THEIRS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), flags=re.M | re.S)


def test_our_examples_say_what_they_give() -> None:
    scope: dict[str, object] = {}
    exec(OURS, scope)
    shown = re.findall(r"^(\S.*verdict)\s+# (.+)$", OURS, flags=re.M)
    assert len(shown) == 2
    for expression, said in shown:
        assert eval(expression, scope) == said


@pytest.mark.parametrize("package", ["pgmpy", "pyagrum", "pybnesian", "causallearn"])
def test_the_adapter_works_with_the_real_package(package: str) -> None:
    (block,) = (block for block in THEIRS if package in block.partition("\n")[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip(package, reason=f"{package} is not installed")
        logging.disable(logging.CRITICAL)
        scope: dict[str, object] = {"sb": sb, "table": sb.read_network("asia").sample(500, seed=1)}
        try:
            exec(block, scope)
        finally:
            logging.disable(logging.NOTSET)
    audit = scope["audit"]
    assert isinstance(audit, sb.Stability)
    # Graphs of the data and not of chance: every layout joins some pair.
    assert any(edge.adjacent == audit.layouts for edge in audit.edges)
