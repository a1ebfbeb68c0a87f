"""Studies: learners by networks by sample sizes by layouts, run once, kept in a store, shown as tables and figures."""

from stablebn.study.definition import Study, read_study
from stablebn.study.functions import Progress, plan, results, run
from stablebn.study.outcomes import Outcomes, read_outcomes
from stablebn.study.plan import StudyPlan
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
