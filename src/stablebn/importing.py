"""Imports at the first use."""

from __future__ import annotations

import gc
import importlib
from types import ModuleType


def imported(name: str) -> ModuleType:
    """Import a module that is asked for now.

    Modules leave no garbage, and Python would look for it again and again while hundreds of them are imported: that
    takes a tenth of a short run.
    """
    was_looking = gc.isenabled()
    gc.disable()
    try:
        return importlib.import_module(name)
    finally:
        if was_looking:
            gc.enable()
