"""Compiled functions: arrays in, arrays out; no names, no frames.

Only `+ - * /`, comparisons and integer operations on numbers are used, never a `log` of the
platform's library: IEEE 754 fixes their result to the last bit on every machine.

Each is compiled when it is first called, and kept on disk: a run compiles only what it needs.
"""

from numba.core import event

from stablebn.kernels.announcing import FirstCompilation
from stablebn.kernels.freshness import forget_old_kernels

forget_old_kernels()
event.register("numba:compile", FirstCompilation())
