// Fixed-point numbers: their sums do not depend on the order of the terms.
#pragma once

#include <cstdint>

#include "numeric/int128.hpp"

namespace stablebn {

/// Number of bits after the binary point.
constexpr int FIXED_BITS = 62;

/// A number in units of 2**-62. Represents magnitudes below 2**65 and wraps around beyond.
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

    /// Convert numbers below 2**47 to double. Three parts are exact and added from the high end, so values below 2**23
    /// are rounded once, to nearest.
    double to_double() const {
        constexpr int low_bits = 32, middle_bits = 14;
        const auto top = static_cast<std::int64_t>(units >> (low_bits + middle_bits));
        const std::int64_t middle = static_cast<std::int64_t>(units >> low_bits) & ((1 << middle_bits) - 1);
        const std::int64_t low = static_cast<std::int64_t>(units) & ((std::int64_t{1} << low_bits) - 1);
        return (static_cast<double>(top) * 0x1p-16 + static_cast<double>(middle) * 0x1p-30) + static_cast<double>(low) * 0x1p-62;
    }
};

/// Stands for a change of score that is not allowed: less than any score, and far from the end of the range.
constexpr Fixed NOT_A_CANDIDATE{-(Wide{1} << 109)};

inline bool is_candidate(Fixed change) { return change.units != NOT_A_CANDIDATE.units; }

}  // namespace stablebn
