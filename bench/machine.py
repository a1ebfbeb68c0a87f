"""The machine and the programs that figures belong to."""

from __future__ import annotations

import os
import platform
from datetime import date
from importlib.metadata import version
from pathlib import Path


def machine() -> str:
    """Number of cores and model of the processor."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return f"{os.cpu_count()} cores of {models[0] if models else platform.processor()}"


def about() -> dict[str, str]:
    """What every part of the report says of itself."""
    programs = {package: version(package) for package in ("stablebn", "numba", "numpy", "pyarrow")}
    return {"date": str(date.today()), "machine": machine(), "python": platform.python_version(), **programs}
