// Natural logarithms by basic operations alone: the same bits on every machine, and no `log` of its library.
//
// Logarithms of integers are sums of those of their prime factors, so identities between real numbers survive
// rounding: 4 ln 4 and 4 * (2 ln 2) are the same integers. As the logarithms of the primes are linearly independent
// over the rationals, sums of m ln m are equal here when, and for any practical purpose only when, they are equal as
// real numbers.
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

/// Natural logarithm of a positive number, absolute error below 2**-90.
DoubleDouble ln(DoubleDouble x);

/// Logarithm of the gamma function for z >= 16, absolute error below 2**-66.
DoubleDouble ln_gamma(DoubleDouble z);

/// A number in fixed point, rounded to an even multiple of 2**-62 so that its half is exact too.
Fixed to_fixed(DoubleDouble x);

/// ln(mantissa * 2**exponent) / 2, the mantissa in the range of `ln`: an exact multiple of ln(2) / 2 besides.
Fixed half_ln(double mantissa, std::int64_t exponent);

/// ln m of an integer m >= 1: the sum over its prime factors.
Fixed ln_of_integer(std::int64_t m);

/// m ln m for the counts m that occur in a table of so many rows.
class LogTable {
public:
    explicit LogTable(std::int64_t total);

    /// m ln m; a count beyond the table is factored.
    Fixed operator[](std::int64_t m) const {
        // Unsigned: an index that may be negative takes longer.
        const auto place = static_cast<std::uint64_t>(m);
        return place < size_ ? data_[place] : beyond(m);
    }

    /// The sum of m ln m over counts.
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

/// ln(Gamma(m + a) / Gamma(a)) by count m: the Dirichlet terms of cells with prior count a. Those of small counts are
/// remembered; threads may share an object.
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

    /// The sum over counts.
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

    /// Two halves of a number: the lower one is written first, and means nothing while the upper one is unknown.
    struct Entry {
        std::atomic<std::int64_t> high = UNKNOWN;
        std::atomic<std::uint64_t> low = 0;
    };
    using Chunk = std::array<Entry, CHUNK>;

    static Fixed joined(std::int64_t high, std::uint64_t low) { return {static_cast<Wide>(high) << 64 | low}; }
    /// A term that is not yet known; remember it if its count is small.
    Fixed compute(std::int64_t m) const;
    static void write(Entry& entry, Fixed value);

    double a_;
    /// Of 16 factors and more: what to add to Stirling's series at m + a.
    DoubleDouble beyond_;
    mutable std::array<std::atomic<Chunk*>, REMEMBERED / CHUNK> chunks_{};
};

/// Tables of Dirichlet terms by prior count; threads may share an object.
class RisingTables {
public:
    std::shared_ptr<const RisingTable> with_prior(double a);

private:
    /// So many are kept; then each is made for the one who wants it.
    static constexpr std::size_t MOST_TABLES = 4096;

    std::shared_mutex mutex_;
    std::unordered_map<double, std::shared_ptr<const RisingTable>> known_;
};

/// The sum over counts m of ln(Gamma(m + a) / Gamma(a)).
Fixed sum_ln_rising(std::span<const std::int64_t> counts, double a);

}  // namespace stablebn
