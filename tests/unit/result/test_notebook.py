"""What a real notebook shows: cells are run by a kernel of Jupyter."""

from __future__ import annotations

import base64
import os
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

CELLS = (
    "import stablebn as sb; result = sb.learn(sb.read_network('asia').sample(300, seed=1)); result",
    "result.dag",
    "result.cpdag",
    "sb.compare(result, 'asia')",
    "result.plot()",
    "result.dag.plot()",
    "sb.compare(result, 'asia').plot()",
    "audit = sb.stability(sb.read_network('asia').sample(300, seed=1), 'hc', repeats=3); audit.plot()",
    "sb.bootstrap(sb.read_network('asia').sample(300, seed=1), 'hc', replicates=3).plot()",
    "import matplotlib.pyplot as plt; result.plot()",
)


# What the packages of Jupyter warn of is their affair.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> list[list[dict[str, Any]]]:
    """For every cell what it shows, by kind."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute(
        env={**os.environ, "IPYTHONDIR": str(tmp_path_factory.mktemp("ipython"))}
    )
    return [[output["data"] for output in cell["outputs"]] for cell in notebook.cells]


def test_results_show_a_page_and_graphs_a_drawing(shown: list[list[dict[str, Any]]]) -> None:
    kinds = ["text/html", "image/svg+xml", "image/svg+xml", "image/svg+xml"]
    for kind, outputs in zip(kinds, shown, strict=False):
        (output,) = outputs
        assert "<svg" in output[kind]


def test_plots_show_a_picture_without_magic_and_once(shown: list[list[dict[str, Any]]]) -> None:
    for outputs in shown[4:]:
        (output,) = outputs
        assert base64.b64decode(output["image/png"]).startswith(b"\x89PNG")
