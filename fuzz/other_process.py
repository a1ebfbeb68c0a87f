"""The other side of `fuzz.trying.OtherProcess`: cases come in by standard input, answers go out."""

from __future__ import annotations

import pickle
import sys
from dataclasses import replace

from fuzz.asking import Answer, ask
from fuzz.layouts import lay_out
from fuzz.trying import drawn, told_apart


def main() -> None:
    """Answer until there are no more questions."""
    while True:
        try:
            seed, columns, rows, values, options, number, only = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        case = drawn(seed, columns, rows)
        case = replace(case, table=replace(case.table, values=values), options=options)
        try:
            answer: Answer | str = ask(case, lay_out(case, number, only, told_apart=told_apart(case))).answer
        except Exception as error:
            answer = repr(error)
        pickle.dump(answer, sys.stdout.buffer)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
