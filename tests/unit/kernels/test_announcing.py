import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import logging
logging.basicConfig(level=logging.INFO)
import numpy as np
from stablebn.kernels.translating import mark, translate
indices = np.array([0, 1, 1], dtype=np.int8)
mark(indices, np.zeros(2, dtype=np.bool_))
translate(indices, np.zeros(2, dtype=np.uint8), np.zeros(3, dtype=np.uint8))
"""


def _log(cache: Path) -> str:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, env=environment
    ).stderr


def test_first_compilation_is_announced_once_and_later_ones_never(tmp_path: Path) -> None:
    assert _log(tmp_path).count("compiling for this machine") == 1
    assert "compiling" not in _log(tmp_path)
