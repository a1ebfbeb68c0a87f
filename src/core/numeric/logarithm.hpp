// Natural logarithms by basic operations alone: the same bits on every machine, without the platform's `log`.
//
// The logarithm of an integer is the sum of those of its prime factors. So identities between real numbers survive
// rounding: 4 ln 4 and 4 * (2 ln 2) are the same integers. The logarithms of the primes are linearly independent over
// the rationals, so sums of m ln m are equal here if they are equal as real numbers, and for all practical purposes
// only then.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "numeric/double_double.hpp"
#include "numeric/fixed.hpp"

namespace stablebn {

/// Natural logarithm of a positive number; absolute error below 2**-90.
DoubleDouble ln(DoubleDouble x);

/// Logarithm of the gamma function for z >= 16; absolute error below 2**-66.
DoubleDouble ln_gamma(DoubleDouble z);

/// Round a number to fixed point, to an even multiple of 2**-62 so that its half is exact too.
Fixed to_fixed(DoubleDouble x);

/// ln(mantissa * 2**exponent) / 2, with the mantissa in the range of `ln`; the exponent contributes an exact multiple
/// of ln(2) / 2.
Fixed half_ln(double mantissa, std::int64_t exponent);

/// ln m of an integer m >= 1: the sum over its prime factors.
Fixed ln_of_integer(std::int64_t m);

/// Table of m ln m for the counts m of a table with a given number of rows.
class LogTable {
public:
    explicit LogTable(std::int64_t total);

    /// m ln m; a count beyond the table is factored.
    Fixed operator[](std::int64_t m) const {
        // Unsigned, because an index that may be negative is slower.
        const auto place = static_cast<std::uint64_t>(m);
        return place < size_ ? data_[place] : beyond(m);
    }

    /// Sum of m ln m over counts.
    template <class Count>
    Fixed sum(std::span<const Count> counts) const {
        Fixed total;
        for (const Count m : counts) total += (*this)[m];
        return total;
    }

    std::span<const Fixed> values() const { return values_; }

private:
    static Fixed beyond(std::int64_t m);

    std::vector<Fixed> values_;
    const Fixed* data_ = nullptr;
    std::uint64_t size_ = 0;
};

/// Dirichlet terms ln(Gamma(m + a) / Gamma(a)) by count m, for cells with prior count a. Terms of small counts are
/// cached; threads may share an object.
class RisingTable {
public:
    explicit RisingTable(double a);
    ~RisingTable();
    RisingTable(const RisingTable&) = delete;
    RisingTable& operator=(const RisingTable&) = delete;

    Fixed operator[](std::int64_t m) const {
        const auto place = static_cast<std::uint64_t>(m);
        if (place < REMEMBERED) {
            if (const Chunk* chunk = chunks_[place / CHUNK].load(std::memory_order_acquire)) {
                const Entry& entry = (*chunk)[place % CHUNK];
                const std::int64_t high = entry.high.load(std::memory_order_acquire);
                if (high != UNKNOWN) return joined(high, entry.low.load(std::memory_order_relaxed));
            }
        }
        return compute(m);
    }

    /// Sum over counts.
    template <class Count>
    Fixed sum(std::span<const Count> counts) const {
        Fixed total;
        for (const Count m : counts) {
            if (m) total += (*this)[m];
        }
        return total;
    }

private:
    static constexpr std::uint64_t REMEMBERED = 1 << 14;
    static constexpr std::uint64_t CHUNK = 64;
    static constexpr std::int64_t UNKNOWN = INT64_MIN;

    /// Two halves of a number: the lower half is written first and is valid only if the upper half is set.
    struct Entry {
        std::atomic<std::int64_t> high = UNKNOWN;
        std::atomic<std::uint64_t> low = 0;
    };
    using Chunk = std::array<Entry, CHUNK>;

    static Fixed joined(std::int64_t high, std::uint64_t low) { return {static_cast<Wide>(high) << 64 | low}; }
    /// Compute a term, and cache it if its count is small.
    Fixed compute(std::int64_t m) const;
    static void write(Entry& entry, Fixed value);

    double a_;
    /// For 16 factors and more: what to add to Stirling's series at m + a.
    DoubleDouble beyond_;
    mutable std::array<std::atomic<Chunk*>, REMEMBERED / CHUNK> chunks_{};
};

/// Tables of Dirichlet terms by prior count; threads may share an object.
class RisingTables {
public:
    std::shared_ptr<const RisingTable> with_prior(double a);

private:
    /// Most tables that are kept; beyond, a table is made per use.
    static constexpr std::size_t MOST_TABLES = 4096;

    std::shared_mutex mutex_;
    std::unordered_map<double, std::shared_ptr<const RisingTable>> known_;
};

/// Sum over counts m of ln(Gamma(m + a) / Gamma(a)).
Fixed sum_ln_rising(std::span<const std::int64_t> counts, double a);

}  // namespace stablebn
