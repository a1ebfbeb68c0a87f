#include "products.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "engine.hpp"

namespace stablebn {

namespace {

// Numbers sliced at a time, so many that they stay in the second cache.
constexpr std::size_t NUMBERS_AT_ONCE = 3 << 16;
constexpr std::size_t SHORTEST_BLOCK = 128;
constexpr std::size_t LONGEST_BLOCK = 1024;
// Rows after which sums are carried over.
constexpr std::size_t ROWS_AT_ONCE = 1 << 13;

/// Write the slices of all columns, most significant first, and a row of ones.
void slice(const SlicedColumns& columns, std::size_t start, std::size_t size, Matrix<std::int32_t>& out) {
    const std::size_t n = columns.values.rows;
    static_assert(SLICE_WIDTH == 25, "the engines cut slices of this width");
    std::vector<double> rest(size);
    for (std::size_t v = 0; v < n; ++v) {
        // Two steps of scaling: one power of two may lie beyond the range of a double.
        const std::int64_t half = -columns.tops[v] >> 1;
        const double once = std::ldexp(1.0, static_cast<int>(half));
        const double twice = std::ldexp(1.0, static_cast<int>(-columns.tops[v] - half));
        const double* values = columns.values[v].data() + start;
        for (std::size_t i = 0; i < size; ++i) rest[i] = values[i] * once * twice;
        for (int s = 0; s < columns.slices; ++s) {
            kernels().slice(rest.data(), size, out[s * n + v].data());
        }
    }
    std::fill_n(out[n * columns.slices].begin(), size, 1);
}

/// Add the inner products of all rows, at least those of the lower triangle.
void add_inner_products(const Matrix<std::int32_t>& left, const Matrix<std::int32_t>& right, std::size_t size,
                        Matrix<std::int64_t>& sums) {
    const std::size_t rows = left.rows(), fours = rows / 4 * 4, pairs = rows / 2 * 2;
    for (std::size_t j = 0; j < fours; j += 4) {
        const std::int32_t* four[4] = {right[j].data(), right[j + 1].data(), right[j + 2].data(), right[j + 3].data()};
        for (std::size_t i = j / 2 * 2; i < pairs; i += 2) {
            const std::int32_t* two[2] = {left[i].data(), left[i + 1].data()};
            std::int64_t found[8];
            kernels().products_two_by_four(two, four, size, found);
            for (std::size_t at = 0; at < 4; ++at) {
                sums(i, j + at) += found[at];
                sums(i + 1, j + at) += found[4 + at];
            }
        }
    }
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = i < pairs ? fours : 0; j <= i; ++j) {
            std::int64_t total = 0;
            for (std::size_t k = 0; k < size; ++k) total += std::int64_t{left(i, k)} * right(j, k);
            sums(i, j) += total;
        }
    }
}

/// Add sums to two halves, and clear them.
void carry(Matrix<std::int64_t>& sums, MatrixView<std::int64_t> hi, MatrixView<std::int64_t> lo) {
    constexpr std::int64_t mask = (std::int64_t{1} << CARRY) - 1;
    for (std::size_t i = 0; i < sums.rows(); ++i) {
        for (std::size_t j = 0; j < sums.columns(); ++j) {
            hi(i, j) += sums(i, j) >> CARRY;
            lo(i, j) += sums(i, j) & mask;
            sums(i, j) = 0;
        }
    }
}

}  // namespace

void add_products(const SlicedColumns& columns, std::size_t first, std::size_t last, MatrixView<std::int64_t> hi,
                  MatrixView<std::int64_t> lo) {
    const std::size_t rows = columns.rows();
    // Whole registers, so that no rest is left over in any block but the last.
    const std::size_t block = std::max(SHORTEST_BLOCK, std::min(LONGEST_BLOCK, NUMBERS_AT_ONCE / rows / 16 * 16));
    const bool weighted = !columns.digits.empty();
    Matrix<std::int32_t> sliced(rows, block), weighed(weighted ? rows : 0, block);
    Matrix<std::int64_t> sums(rows, rows);
    std::size_t done = 0;
    for (std::size_t start = first; start < last; start += block) {
        const std::size_t size = std::min(last - start, block);
        slice(columns, start, size, sliced);
        for (std::size_t row = 0; row < weighed.rows(); ++row) {
            for (std::size_t i = 0; i < size; ++i) weighed(row, i) = sliced(row, i) * columns.digits[start + i];
        }
        add_inner_products(weighted ? weighed : sliced, sliced, size, sums);
        done += size;
        // Digits of 4 bits leave room for that many fewer rows.
        if (done >= ROWS_AT_ONCE || weighted) {
            carry(sums, hi, lo);
            done = 0;
        }
    }
    carry(sums, hi, lo);
}

std::pair<std::int64_t, std::int64_t> bit_range(std::span<const double> column) {
    std::int64_t top = -1074, lowest = 1024;
    for (const double value : column) {
        const auto pattern = std::bit_cast<std::uint64_t>(value);
        const auto written = static_cast<std::int64_t>(pattern >> 52 & 0x7FF);
        // A subnormal number has the smallest exponent and no leading bit.
        const std::int64_t exponent = std::max<std::int64_t>(written, 1);
        const std::uint64_t mantissa = (pattern & ((std::uint64_t{1} << 52) - 1)) | std::uint64_t{written > 0} << 52;
        if (!mantissa) continue;
        top = std::max<std::int64_t>(top, exponent - 1075 + std::bit_width(mantissa));
        lowest = std::min<std::int64_t>(lowest, exponent - 1075 + std::countr_zero(mantissa));
    }
    return {top, lowest};
}

}  // namespace stablebn
