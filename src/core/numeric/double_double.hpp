// Numbers as unevaluated sums of two doubles: relative error about 2**-104, by basic operations in the order written.
#pragma once

#include <cmath>

namespace stablebn {

struct DoubleDouble {
    double hi = 0.0;
    double lo = 0.0;
};

/// The sum of two doubles and its rounding error, both exact (Knuth).
inline DoubleDouble two_sum(double a, double b) {
    const double s = a + b;
    const double t = s - a;
    return {s, (a - (s - t)) + (b - t)};
}

/// The product of two doubles and its rounding error, both exact (Dekker).
inline DoubleDouble two_product(double a, double b) {
    constexpr double splitter = (1 << 27) + 1;
    const double p = a * b;
    double t = splitter * a;
    const double a_hi = t - (t - a);
    const double a_lo = a - a_hi;
    t = splitter * b;
    const double b_hi = t - (t - b);
    const double b_lo = b - b_hi;
    return {p, ((a_hi * b_hi - p) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo};
}

inline DoubleDouble operator-(DoubleDouble a) { return {-a.hi, -a.lo}; }

inline DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
    const DoubleDouble s = two_sum(a.hi, b.hi);
    return two_sum(s.hi, s.lo + (a.lo + b.lo));
}

inline DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + -b; }

inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
    const DoubleDouble p = two_product(a.hi, b.hi);
    return two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

inline DoubleDouble operator*(DoubleDouble a, double b) {
    const DoubleDouble p = two_product(a.hi, b);
    return two_sum(p.hi, p.lo + a.lo * b);
}

inline DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
    const double q = a.hi / b.hi;
    const DoubleDouble r = a + -(DoubleDouble{q, 0.0} * b);
    return two_sum(q, (r.hi + r.lo) / b.hi);
}

/// The square root of a positive number: the root in double precision and one Newton step.
inline DoubleDouble square_root(DoubleDouble x) {
    const double root = std::sqrt(x.hi);
    const DoubleDouble rest = x - two_product(root, root);
    return two_sum(root, rest.hi / (2 * root));
}

/// A number times a power of two; exact as long as both parts stay in the range of doubles.
inline DoubleDouble times_power(DoubleDouble x, int exponent) {
    return {std::ldexp(x.hi, exponent), std::ldexp(x.lo, exponent)};
}

}  // namespace stablebn
