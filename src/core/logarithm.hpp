// Natural logarithms by basic operations alone: the same bits on every machine, and no `log` of its library.
//
// Logarithms of integers are sums of those of their prime factors, so identities between real numbers survive
// rounding: 4 ln 4 and 4 * (2 ln 2) are the same integers. As the logarithms of the primes are linearly independent
// over the rationals, sums of m ln m are equal here when, and for any practical purpose only when, they are equal as
// real numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "double_double.hpp"
#include "fixed.hpp"

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

/// The sum over counts m of ln(Gamma(m + a) / Gamma(a)), the Dirichlet term of a cell with prior count a.
Fixed sum_ln_rising(std::span<const std::int64_t> counts, double a);
Fixed sum_ln_rising(std::span<const std::int32_t> counts, double a);

}  // namespace stablebn
