// Exact sums of products of columns, in integers.
//
// A column is cut into slices of few bits, so that products of slices can be added over many rows in 64 bits without
// overflow. Integer sums do not depend on the order of rows.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/views.hpp"

namespace stablebn {

/// Bits of a slice: |slice| <= 2**24, so 2**14 products stay below 2**62.
constexpr int SLICE_WIDTH = 25;
/// A sum is hi * 2**32 + lo.
constexpr int CARRY = 32;

/// Columns cut into slices, with the weights of the rows.
struct SlicedColumns {
    MatrixView<const double> values;
    /// Every |x| of a column is below 2**(top - 1).
    std::span<const std::int64_t> tops;
    int slices;
    /// Factor of each row, below 2**4; empty if every row counts once.
    std::span<const std::int32_t> digits;

    /// Row s * n + v of the sums is slice s of column v; the last row is constant 1, for plain sums.
    std::size_t rows() const { return values.rows * slices + 1; }
};

/// Add the products of all pairs of slices over the rows from `first` to `last`, in the lower triangles of hi and lo.
void add_products(const SlicedColumns& columns, std::size_t first, std::size_t last, MatrixView<std::int64_t> hi,
                  MatrixView<std::int64_t> lo);

/// The exponent e with every |x| < 2**e, and that of the lowest set bit: all values are multiples of it.
struct BitRange {
    std::int64_t top = -1074;
    std::int64_t lowest = 1024;
};
BitRange bit_range(std::span<const double> column);

}  // namespace stablebn
