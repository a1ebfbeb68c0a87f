// Common parts of multinomial logistic regressions: exponentials and logarithms by basic operations (the same bits on
// every machine), rounding to fixed steps (sums do not depend on the order of rows), and Newton steps.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/views.hpp"

namespace stablebn {

/// Adding this number rounds x to a multiple of 2**-bits, ties to even, and leaves that multiple in the last bits.
constexpr double rounder(int bits) { return 0x1.8p52 / static_cast<double>(std::uint64_t{1} << bits); }

/// Return e**x for x <= 0, within some units in the last place.
inline double exponential(double x) {
    constexpr double log2_e = 0x1.71547652b82fep0, ln2_hi = 0x1.62e42feep-1, ln2_lo = 0x1.a39ef35793c76p-33;
    constexpr double whole = 0x1.8p52;
    x = x < -700.0 ? -700.0 : x;
    const double shifted = x * log2_e + whole;
    const double n = shifted - whole;
    const double r = (x - n * ln2_hi) - n * ln2_lo;
    double sum = 1.0 / 479001600;
    sum = sum * r + 1.0 / 39916800;
    sum = sum * r + 1.0 / 3628800;
    sum = sum * r + 1.0 / 362880;
    sum = sum * r + 1.0 / 40320;
    sum = sum * r + 1.0 / 5040;
    sum = sum * r + 1.0 / 720;
    sum = sum * r + 1.0 / 120;
    sum = sum * r + 1.0 / 24;
    sum = sum * r + 1.0 / 6;
    sum = sum * r + 0.5;
    sum = sum * r + 1.0;
    sum = sum * r + 1.0;
    const std::uint64_t power = std::bit_cast<std::uint64_t>(shifted) << 52;
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(sum) + power);
}

/// Return ln x for 1 <= x < 2**20, within some units in the last place of 1.
inline double logarithm(double x) {
    constexpr double ln2 = 0x1.62e42fefa39efp-1;
    constexpr std::uint64_t root_of_half = 0x3fe6a09e667f3bcd, mantissa = 0x000fffffffffffff, magic = 0x4330000000000000;
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(x) - root_of_half;
    const std::uint64_t power = bits >> 52;
    const double m = std::bit_cast<double>((bits & mantissa) + root_of_half);
    const double n = std::bit_cast<double>(power | magic) - 0x1p52;
    const double s = (m - 1.0) / (m + 1.0), z = s * s;
    double sum = 1.0 / 19;
    sum = sum * z + 1.0 / 17;
    sum = sum * z + 1.0 / 15;
    sum = sum * z + 1.0 / 13;
    sum = sum * z + 1.0 / 11;
    sum = sum * z + 1.0 / 9;
    sum = sum * z + 1.0 / 7;
    sum = sum * z + 1.0 / 5;
    sum = sum * z + 1.0 / 3;
    sum = sum * z + 1.0;
    return n * ln2 + 2.0 * s * sum;
}

/// Solve A x = b for a positive definite A, whose lower triangle is overwritten; return false if it is not.
inline bool solve(Matrix<double>& a, std::vector<double>& b) {
    const std::size_t n = b.size();
    for (std::size_t j = 0; j < n; ++j) {
        if (!(a(j, j) > 0)) return false;
        for (std::size_t i = j + 1; i < n; ++i) {
            const double ratio = a(i, j) / a(j, j);
            for (std::size_t other = j + 1; other <= i; ++other) a(i, other) -= ratio * a(other, j);
            b[i] -= ratio * b[j];
        }
    }
    for (std::size_t j = n; j-- > 0;) {
        for (std::size_t i = j + 1; i < n; ++i) b[j] -= a(i, j) * b[i];
        b[j] /= a(j, j);
    }
    return true;
}

}  // namespace stablebn
