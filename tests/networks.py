"""Networks that every machine with the tests has: Asia, and some of those that pgmpy brings."""

KNOWN_NETWORKS = (
    *("asia", "cancer", "earthquake", "survey", "sachs", "child", "insurance", "alarm", "hailfinder", "ecoli70"),
)
