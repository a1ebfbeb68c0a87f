"""Tails of distributions as textbooks write them: to so many digits that nothing can be lost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from fractions import Fraction

from tests.naive.scores import PI

# P-values down to 1e-330 are what 1 less a sum leaves.
DIGITS = 400


@contextmanager
def _digits(digits: int) -> Iterator[None]:
    """So many digits, and exponents as large as they come: gamma functions do not fit the usual ones."""
    with localcontext() as context:
        context.prec, context.Emax, context.Emin = digits, MAX_EMAX, MIN_EMIN
        yield


def chi_square_tail(statistic: float, df: int, digits: int = DIGITS) -> Decimal:
    """1 less the power series of the lower tail."""
    with _digits(digits):
        x, a = Decimal(statistic) / 2, Decimal(df) / 2
        term = total = 1 / a
        n = a
        while term > total * Decimal(10) ** -digits:
            n += 1
            term *= x / n
            total += term
        return 1 - total * (a * x.ln() - x).exp() / gamma_of_half(df)


def student_tail(correlation: float, df: int, digits: int = DIGITS) -> Decimal:
    """The incomplete beta function of 1 - r**2, by the power series that converges sooner."""
    with _digits(digits):
        r, a = abs(Decimal(correlation)), Decimal(df) / 2
        x, y = r * r, 1 - r * r
        density = r * (a * y.ln()).exp() * gamma_of_half(df + 1) / gamma_of_half(df) / gamma_of_half(1)
        if y > x:
            return 1 - 2 * density * _hypergeometric(a + Decimal("0.5"), Decimal("1.5"), x, digits)
        return density / a * _hypergeometric(a + Decimal("0.5"), a + 1, y, digits)


def _hypergeometric(b: Decimal, c: Decimal, z: Decimal, digits: int) -> Decimal:
    """2F1(1, b; c; z)."""
    term = total = Decimal(1)
    n = 0
    while term > total * Decimal(10) ** -digits:
        term *= z * (b + n) / (c + n)
        total += term
        n += 1
    return total


def gamma_of_half(n: int) -> Decimal:
    """Gamma(n / 2)."""
    value = Decimal(1) if n % 2 == 0 else pi().sqrt()
    for twice in range(2 if n % 2 == 0 else 1, n, 2):
        value *= Decimal(twice) / 2
    return value


def pi() -> Decimal:
    """Machin's formula, to the digits of the context."""
    with localcontext() as context:
        context.prec += 10
        digits = context.prec

        def arctan_of_inverse(m: int) -> Decimal:
            term = total = Decimal(1) / m
            k = 1
            while abs(term) > Decimal(10) ** -digits:
                term = -term / (m * m)
                k += 2
                total += term / k
            return total

        found = 4 * (4 * arctan_of_inverse(5) - arctan_of_inverse(239))
    assert abs(found - PI) < Decimal(10) ** -min(digits - 12, 80)
    return +found


def erfc_of_root(x: Fraction) -> Decimal:
    """The upper tail of the gamma distribution for a = 1/2 at a fraction, which no double need be."""
    with _digits(DIGITS):
        exact = Decimal(x.numerator) / Decimal(x.denominator)
        term = total = Decimal(2)
        n = Decimal("0.5")
        while term > total * Decimal(10) ** -DIGITS:
            n += 1
            term *= exact / n
            total += term
        return 1 - total * exact.sqrt() * (-exact).exp() / pi().sqrt()


def chi_square_tail_far_out(statistic: float, df: int, digits: int = 60) -> Decimal:
    """For an even df: exp(-x) times the sum of x**j / j! for j < df / 2, from the last term down."""
    with _digits(digits):
        x, m = Decimal(statistic) / 2, df // 2
        term = total = Decimal(1)
        for j in range(m - 1, 0, -1):
            term *= j / x
            total += term
            if term < total * Decimal(10) ** -digits:
                break
        return total * ((m - 1) * x.ln() - x).exp() / gamma_of_half(df)
