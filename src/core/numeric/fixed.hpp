// Fixed-point numbers: sums of logarithms that are the same whatever the order of their terms.
#pragma once

#include <cstdint>

#include "numeric/int128.hpp"

namespace stablebn {

/// Bits of a fixed-point number after the point.
constexpr int FIXED_BITS = 62;

/// A number in units of 2**-62. It holds less than 2**65, and wraps around beyond.
struct Fixed {
    Wide units = 0;

    Fixed& operator+=(Fixed other) {
        units += other.units;
        return *this;
    }
    Fixed& operator-=(Fixed other) {
        units -= other.units;
        return *this;
    }
    friend Fixed operator+(Fixed a, Fixed b) { return a += b; }
    friend Fixed operator-(Fixed a, Fixed b) { return a -= b; }
    Fixed operator-() const { return {-units}; }

    Fixed times(std::int64_t m) const { return {units * m}; }

    /// As a double, for numbers below 2**47. The digits of each of three parts are exact and added from the left, so that
    /// what is below 2**23 is rounded once, to the nearest.
    double to_double() const {
        constexpr int low_bits = 32, middle_bits = 14;
        const auto top = static_cast<std::int64_t>(units >> (low_bits + middle_bits));
        const std::int64_t middle = static_cast<std::int64_t>(units >> low_bits) & ((1 << middle_bits) - 1);
        const std::int64_t low = static_cast<std::int64_t>(units) & ((std::int64_t{1} << low_bits) - 1);
        return (static_cast<double>(top) * 0x1p-16 + static_cast<double>(middle) * 0x1p-30) + static_cast<double>(low) * 0x1p-62;
    }
};

/// In place of a change of score: the family may not become that. Less than any, and far from the end of the range.
constexpr Fixed NOT_A_CANDIDATE{-(Wide{1} << 109)};

inline bool is_candidate(Fixed change) { return change.units != NOT_A_CANDIDATE.units; }

}  // namespace stablebn
