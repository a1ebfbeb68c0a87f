"""Studies: run algorithms on samples of networks in several layouts, store the outcomes, and show tables and figures.

The folder has the runner of any study. `tables/` has the tables and figures of any study; `paper/` has what only the
study of the paper needs, and only that study imports it.
"""

from stablebn.study.definition import Study, read_study
from stablebn.study.outcomes import Outcomes, read_outcomes
from stablebn.study.plan import StudyPlan
from stablebn.study.plan_and_run import Progress, plan, results, run
from stablebn.study.record import Record, Sample
from stablebn.study.results import Run, StudyResults

__all__ = [
    "Outcomes",
    "Progress",
    "Record",
    "Run",
    "Sample",
    "Study",
    "StudyPlan",
    "StudyResults",
    "plan",
    "read_outcomes",
    "read_study",
    "results",
    "run",
]
