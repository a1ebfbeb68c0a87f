"""The best DAG among candidate parent sets, and the proof of it.

`components` splits the problem, `subsets` solves small ones by dynamic programming, `linear` shrinks large ones by
linear programming with cluster cuts (HiGHS), `proof` checks what these claim in integers, without a solver, `ties`
lists the best DAGs, and `search` joins them all.
"""
