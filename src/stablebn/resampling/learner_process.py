"""A learner in a fresh Python process, where sets and dicts of text may iterate in another order."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from stablebn.errors import OptionError
from stablebn.prepare.relayout import TableLayout
from stablebn.resampling.learner_in_layout import Attempt, LearnerLike, attempt

_PROGRAM = "import sys; from stablebn.resampling.learner_process import answer; answer(sys.argv[1])"


def attempt_in_new_process(
    learner: LearnerLike, layout: TableLayout, options: Mapping[str, Any], *, hash_seed: int
) -> Attempt:
    """`attempt` in a process of its own, with PYTHONHASHSEED as given."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "question").write_bytes(_pickled(learner, layout, options))
        # The path too, so that the process finds what this one has imported.
        search = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
        settings = {**os.environ, "PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": search}
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM, folder], env=settings, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"the learner failed in a process with PYTHONHASHSEED={hash_seed}:\n{done.stderr}")
        return cast(Attempt, pickle.loads(Path(folder, "answer").read_bytes()))


def answer(folder: str) -> None:
    """What the other process does: files, because a learner may print whatever it likes."""
    learner, layout, options = pickle.loads(Path(folder, "question").read_bytes())
    Path(folder, "answer").write_bytes(pickle.dumps(attempt(learner, layout, options)))


def _pickled(learner: LearnerLike, layout: TableLayout, options: Mapping[str, Any]) -> bytes:
    if getattr(learner, "__module__", None) != "__main__":
        try:
            return pickle.dumps((learner, layout, dict(options)))
        except (pickle.PicklingError, AttributeError, TypeError):
            pass
    raise OptionError(
        f"vary='hash' starts new processes, which cannot find the learner {learner!r}: "
        "define it with def in a module that can be imported."
    )
