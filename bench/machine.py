"""The machine and the programs that figures belong to."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import date
from importlib.metadata import version
from pathlib import Path

from stablebn import _core

DESCRIBE = """
import platform, stablebn
from importlib.metadata import PackageNotFoundError, version
words = [f"Python {platform.python_version()}"]
for package in ("numba", "numpy", "pyarrow"):
    try:
        words.append(f"{package} {version(package)}")
    except PackageNotFoundError:
        pass
print(stablebn.__file__)
print(", ".join(words))
"""


def machine() -> str:
    """Number of cores and model of the processor."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return f"{os.cpu_count()} cores of {models[0] if models else platform.processor()}"


def about() -> dict[str, str]:
    """What every part of the report says of itself."""
    programs = {package: version(package) for package in ("stablebn", "numpy", "pyarrow")}
    return {
        "date": str(date.today()),
        "machine": machine(),
        "python": platform.python_version(),
        **programs,
        "engine": _core.engine(),
    }


def installation(python: str) -> str:
    """Of which commit the stablebn of a Python is, where git knows it, and what it works with."""
    done = subprocess.run([python, "-c", DESCRIBE], capture_output=True, text=True, check=True)
    file, programs = done.stdout.splitlines()
    asked = ["git", "-C", str(Path(file).parent), "log", "-1", "--format=%h"]
    commit = subprocess.run(asked, capture_output=True, text=True).stdout.strip()
    return f"commit {commit}, {programs}" if commit else programs
