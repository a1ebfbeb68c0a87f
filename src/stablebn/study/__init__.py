"""Studies: learners by networks by sample sizes by layouts, run once, kept in a store, shown as tables and figures."""
