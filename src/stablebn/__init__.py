"""stablebn: one table, one graph.

Learns the structure of Bayesian networks so that the answer depends on the data and on nothing else.
"""

from __future__ import annotations

# The entry point of the command imports this module before it can handle Ctrl-C, so that this imports nothing: not
# `typing` either, whose name type checkers know.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from stablebn import study
    from stablebn.api import check, ci_test, compare, fit, learn, load_statistics, score, statistics
    from stablebn.audit import EdgeFrequency, Spread, Stability, stability
    from stablebn.certificate import Certificate
    from stablebn.checking import Check
    from stablebn.confidence import (
        Bootstrap,
        CrossValidation,
        Difference,
        EdgeConfidence,
        Fold,
        bootstrap,
        cross_validate,
    )
    from stablebn.data.discretising import Discretised, discretise
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
    from stablebn.explanation import Explanation
    from stablebn.graph import DAG, PDAG, Agreement, Comparison
    from stablebn.knowledge import Knowledge
    from stablebn.learners.pattern import TestTrace
    from stablebn.near_best import NearClass, NearOptimal, near_optimal
    from stablebn.networks import (
        CPT,
        ConditionalGaussian,
        LinearGaussian,
        Network,
        random_network,
        read_graph,
        read_network,
    )
    from stablebn.proving import prove, verify
    from stablebn.result import CITest, GraphScore, Result
    from stablebn.search.operator_trace import OperatorTrace
    from stablebn.search.trace import Trace
    from stablebn.sklearn import (
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

__version__ = "0.1.0"

# Where each public name lives. It is imported when first used, so that `import stablebn` is quick.
_HOMES = {
    "stablebn.api": ("check", "ci_test", "compare", "fit", "learn", "load_statistics", "score", "statistics"),
    "stablebn.audit": ("EdgeFrequency", "Spread", "Stability", "stability"),
    "stablebn.certificate": ("Certificate",),
    "stablebn.checking": ("Check",),
    "stablebn.confidence": (
        *("Bootstrap", "CrossValidation", "Difference", "EdgeConfidence", "Fold"),
        *("bootstrap", "cross_validate"),
    ),
    "stablebn.data.discretising": ("Discretised", "discretise"),
    "stablebn.errors": (
        *("CertificateError", "Conflict", "DataError", "FormatError", "GraphError", "KnowledgeError"),
        *("MissingExtraError", "OptionError", "StableBNError", "UnseenLevelWarning"),
    ),
    "stablebn.explanation": ("Explanation",),
    "stablebn.graph": ("DAG", "PDAG", "Agreement", "Comparison"),
    "stablebn.knowledge": ("Knowledge",),
    "stablebn.networks": (
        *("CPT", "ConditionalGaussian", "LinearGaussian", "Network"),
        *("random_network", "read_graph", "read_network"),
    ),
    "stablebn.near_best": ("NearClass", "NearOptimal", "near_optimal"),
    "stablebn.proving": ("prove", "verify"),
    "stablebn.result": ("CITest", "GraphScore", "Result"),
    "stablebn.search.operator_trace": ("OperatorTrace",),
    "stablebn.search.trace": ("Trace",),
    "stablebn.learners.pattern": ("TestTrace",),
    "stablebn.sklearn": (
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
    from stablebn.importing import imported

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
