// Fixed-point numbers: sums of logarithms that are the same whatever the order of their terms.
#pragma once

#include <cstdint>
#include <limits>

namespace stablebn {

constexpr int LO_BITS = 32;
constexpr int HI_BITS = 30;
constexpr std::int64_t LO_MASK = (std::int64_t{1} << LO_BITS) - 1;

/// The number (hi * 2**32 + lo) / 2**62. Sums are formed limb by limb: lo may leave [0, 2**32) until it is carried.
struct Fixed {
    std::int64_t hi = 0;
    std::int64_t lo = 0;

    Fixed& operator+=(Fixed other) {
        hi += other.hi;
        lo += other.lo;
        return *this;
    }
    Fixed& operator-=(Fixed other) {
        hi -= other.hi;
        lo -= other.lo;
        return *this;
    }
    friend Fixed operator+(Fixed a, Fixed b) { return a += b; }
    friend Fixed operator-(Fixed a, Fixed b) { return a -= b; }
    Fixed operator-() const { return {-hi, -lo}; }

    /// The same number with lo in [0, 2**32).
    Fixed carried() const { return {hi + (lo >> LO_BITS), lo & LO_MASK}; }

    /// A multiple of a carried number, carried.
    Fixed times(std::int64_t m) const {
        const std::int64_t upper = m >> LO_BITS;
        const auto low = static_cast<std::uint64_t>(lo) * static_cast<std::uint64_t>(m & LO_MASK);
        return {hi * m + lo * upper + static_cast<std::int64_t>(low >> LO_BITS), static_cast<std::int64_t>(low & LO_MASK)};
    }

    /// The nearest double but for one rounding of the sum of the limbs.
    double to_double() const {
        constexpr double hi_unit = 1.0 / (1 << HI_BITS);
        constexpr double lo_unit = hi_unit / (std::int64_t{1} << LO_BITS);
        return static_cast<double>(hi + (lo >> LO_BITS)) * hi_unit + static_cast<double>(lo & LO_MASK) * lo_unit;
    }
};

/// In place of a change of score: the family may not become that.
constexpr Fixed NOT_A_CANDIDATE{std::numeric_limits<std::int64_t>::min(), 0};

inline bool is_candidate(Fixed change) { return change.hi != NOT_A_CANDIDATE.hi; }

}  // namespace stablebn
