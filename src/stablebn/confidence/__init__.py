"""How sure a learned graph is, and how well it predicts: bootstrap and cross-validation.

Their replicates and folds are the same in every layout of the table.
"""

from stablebn.confidence.averaging import EdgeConfidence
from stablebn.confidence.cross_validation import CrossValidation, Difference, Fold, cross_validate
from stablebn.confidence.outcome import Bootstrap
from stablebn.confidence.running import bootstrap

__all__ = [
    "Bootstrap",
    "CrossValidation",
    "Difference",
    "EdgeConfidence",
    "Fold",
    "bootstrap",
    "cross_validate",
]
