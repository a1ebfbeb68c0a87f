// Exact sums of products of columns, in integers.
//
// A column is cut into slices: integers of few bits, so that products of slices can be added over many rows in 64
// bits without overflow. Integer sums know no order.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/views.hpp"

namespace stablebn {

/// Bits of a slice: |slice| <= 2**24, so 2**14 products stay below 2**62.
constexpr int SLICE_WIDTH = 25;
/// A sum is hi * 2**32 + lo.
constexpr int CARRY = 32;

/// Columns cut into slices, and what each row counts.
struct SlicedColumns {
    MatrixView<const double> values;
    /// Every |x| of a column is below 2**(top - 1).
    std::span<const std::int64_t> tops;
    int slices;
    /// Multiplies each row; below 2**4. None where every row counts once.
    std::span<const std::int32_t> digits;

    /// Row s * n + v of the sums is slice s of column v, and the last row is 1, for plain sums.
    std::size_t rows() const { return values.rows * slices + 1; }
};

/// Add the products of all pairs of slices over the rows from `first` to `last`, in the lower triangles of hi and lo.
void add_products(const SlicedColumns& columns, std::size_t first, std::size_t last, MatrixView<std::int64_t> hi,
                  MatrixView<std::int64_t> lo);

/// The e for which every |x| < 2**e, and that of the lowest bit set in any value: all are multiples of it.
struct BitRange {
    std::int64_t top = -1074;
    std::int64_t lowest = 1024;
};
BitRange bit_range(std::span<const double> column);

}  // namespace stablebn
