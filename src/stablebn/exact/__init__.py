"""Find and prove the best DAG among candidate parent sets.

`components` splits the problem into independent parts. `subset_search` solves small parts by dynamic programming. `lp`
solves larger ones by linear programming with cluster cuts (HiGHS), `dual_ascent` and `sifting` bound them without one.
`proof` checks all bounds in integers, without a solver; `proof_tree` and `certificate` record them. `ties` lists the
best DAGs, `near_dags` those within a margin, and `solver` combines all of this.
"""
