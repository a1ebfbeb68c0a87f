"""stablebn: one table, one graph.

Learns the structure of Bayesian networks so that the answer depends on the data and on nothing else.
"""

from __future__ import annotations

# The entry point of the command imports this module before it can handle Ctrl-C, so that this imports nothing: not
# `typing` either, whose name type checkers know.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from stablebn import study
    from stablebn.api.checks import Check
    from stablebn.api.estimators import (
        FGES,
        GS,
        H2PC,
        HC,
        MMHC,
        Averaged,
        Best,
        Exact,
        HCDec,
        HCInc,
        HCStable,
        InterIAMB,
        PCStable,
        Tabu,
        TabuDec,
        TabuInc,
        TabuStable,
    )
    from stablebn.api.functions import check, ci_test, compare, fit, learn, load_statistics, score, statistics
    from stablebn.api.near_optimal import NearClass, NearOptimal, near_optimal
    from stablebn.api.proofs import prove, verify
    from stablebn.errors import (
        CertificateError,
        Conflict,
        DataError,
        FormatError,
        GraphError,
        KnowledgeError,
        MissingExtraError,
        OptionError,
        StableBNError,
        UnseenLevelWarning,
    )
    from stablebn.exact.certificate import Certificate
    from stablebn.graph import DAG, PDAG, Agreement, Comparison
    from stablebn.knowledge import Knowledge
    from stablebn.learners.shared.pattern import TestTrace
    from stablebn.networks import (
        CPT,
        ConditionalGaussian,
        LinearGaussian,
        Network,
        random_network,
        read_graph,
        read_network,
    )
    from stablebn.prepare.discretize import Discretised, discretise
    from stablebn.resampling.averaging import EdgeConfidence
    from stablebn.resampling.bootstrap import bootstrap
    from stablebn.resampling.bootstrap_result import Bootstrap
    from stablebn.resampling.cross_validation import CrossValidation, Difference, Fold, cross_validate
    from stablebn.resampling.stability import stability
    from stablebn.resampling.stability_result import EdgeFrequency, Spread, Stability
    from stablebn.result.explanation import Explanation
    from stablebn.result.result import CITest, GraphScore, Result
    from stablebn.search.operator_trace import OperatorTrace
    from stablebn.search.trace import Trace

__version__ = "0.1.0"

# Where each public name lives. It is imported when first used, so that `import stablebn` is quick.
_HOMES = {
    "stablebn.api.functions": ("check", "ci_test", "compare", "fit", "learn", "load_statistics", "score", "statistics"),
    "stablebn.resampling.stability": ("stability",),
    "stablebn.resampling.stability_result": ("EdgeFrequency", "Spread", "Stability"),
    "stablebn.exact.certificate": ("Certificate",),
    "stablebn.api.checks": ("Check",),
    "stablebn.resampling.averaging": ("EdgeConfidence",),
    "stablebn.resampling.bootstrap": ("bootstrap",),
    "stablebn.resampling.bootstrap_result": ("Bootstrap",),
    "stablebn.resampling.cross_validation": ("CrossValidation", "Difference", "Fold", "cross_validate"),
    "stablebn.prepare.discretize": ("Discretised", "discretise"),
    "stablebn.errors": (
        *("CertificateError", "Conflict", "DataError", "FormatError", "GraphError", "KnowledgeError"),
        *("MissingExtraError", "OptionError", "StableBNError", "UnseenLevelWarning"),
    ),
    "stablebn.result.explanation": ("Explanation",),
    "stablebn.graph": ("DAG", "PDAG", "Agreement", "Comparison"),
    "stablebn.knowledge": ("Knowledge",),
    "stablebn.networks": (
        *("CPT", "ConditionalGaussian", "LinearGaussian", "Network"),
        *("random_network", "read_graph", "read_network"),
    ),
    "stablebn.api.near_optimal": ("NearClass", "NearOptimal", "near_optimal"),
    "stablebn.api.proofs": ("prove", "verify"),
    "stablebn.result.result": ("CITest", "GraphScore", "Result"),
    "stablebn.search.operator_trace": ("OperatorTrace",),
    "stablebn.search.trace": ("Trace",),
    "stablebn.learners.shared.pattern": ("TestTrace",),
    "stablebn.api.estimators": (
        *("Averaged", "Best", "Exact", "FGES", "GS", "H2PC", "HC", "HCDec", "HCInc", "HCStable", "InterIAMB"),
        *("MMHC", "PCStable", "Tabu", "TabuDec", "TabuInc", "TabuStable"),
    ),
}

__all__ = [
    "CPT",
    "DAG",
    "FGES",
    "GS",
    "H2PC",
    "HC",
    "MMHC",
    "PDAG",
    "Agreement",
    "Averaged",
    "Best",
    "Bootstrap",
    "CITest",
    "Certificate",
    "CertificateError",
    "Check",
    "Comparison",
    "ConditionalGaussian",
    "Conflict",
    "CrossValidation",
    "DataError",
    "Difference",
    "Discretised",
    "EdgeConfidence",
    "EdgeFrequency",
    "Exact",
    "Explanation",
    "Fold",
    "FormatError",
    "GraphError",
    "GraphScore",
    "HCDec",
    "HCInc",
    "HCStable",
    "InterIAMB",
    "Knowledge",
    "KnowledgeError",
    "LinearGaussian",
    "MissingExtraError",
    "NearClass",
    "NearOptimal",
    "Network",
    "OperatorTrace",
    "OptionError",
    "PCStable",
    "Result",
    "Spread",
    "Stability",
    "StableBNError",
    "Tabu",
    "TabuDec",
    "TabuInc",
    "TabuStable",
    "TestTrace",
    "Trace",
    "UnseenLevelWarning",
    "bootstrap",
    "check",
    "ci_test",
    "compare",
    "cross_validate",
    "discretise",
    "fit",
    "learn",
    "load_statistics",
    "near_optimal",
    "prove",
    "random_network",
    "read_graph",
    "read_network",
    "score",
    "stability",
    "statistics",
    "study",
    "verify",
]


def __getattr__(name: str) -> object:
    from stablebn.lazy import imported

    if name == "study":
        return imported("stablebn.study")
    for home, names in _HOMES.items():
        if name in names:
            value = getattr(imported(home), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'stablebn' has no attribute {name!r}")


def __dir__() -> list[str]:
    # Without what this module imports, and the modules that Python adds when they are first used.
    return sorted([*(name for name in globals() if name.startswith("__")), *__all__])
