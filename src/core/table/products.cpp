#include "table/products.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "runtime/engine.hpp"
#include "runtime/pool.hpp"

namespace stablebn {

namespace {

// Numbers sliced at a time: they fit the second-level cache.
constexpr std::size_t NUMBERS_AT_ONCE = 3 << 16;
constexpr std::size_t SHORTEST_BLOCK = 128;
constexpr std::size_t LONGEST_BLOCK = 1024;
// Rows after which sums are carried over.
constexpr std::size_t ROWS_AT_ONCE = 1 << 13;
// Sums accumulated at a time: they fit the third-level cache.
constexpr std::size_t SUMS_AT_ONCE = 1 << 21;

/// Write the slices of all columns, most significant first, and a row of ones.
void slice(const SlicedColumns& columns, std::size_t start, std::size_t size, Matrix<std::int32_t>& out) {
    const std::size_t n = columns.values.rows;
    static_assert(SLICE_WIDTH == 25, "the engines cut slices of this width");
    std::vector<double> rest(size);
    for (std::size_t v = 0; v < n; ++v) {
        // Two scaling steps, because one power of two may be beyond the range of a double.
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

/// Add the inner products of rows `first` to `last` (a multiple of four, or the end) on the left with all rows on the
/// right, at least those of the lower triangle. Row i of the sums belongs to row `first` + i.
void add_inner_products(const Matrix<std::int32_t>& left, const Matrix<std::int32_t>& right, std::size_t size,
                        std::size_t first, std::size_t last, Matrix<std::int64_t>& sums) {
    const std::size_t fours = left.rows() / 4 * 4, pairs = std::min(last, left.rows() / 2 * 2);
    for (std::size_t j = 0; j < std::min(fours, last); j += 4) {
        Watch::look_now_and_then();
        const std::int32_t* four[4] = {right[j].data(), right[j + 1].data(), right[j + 2].data(), right[j + 3].data()};
        for (std::size_t i = std::max(j, first); i < pairs; i += 2) {
            const std::int32_t* two[2] = {left[i].data(), left[i + 1].data()};
            std::int64_t found[8];
            kernels().products_two_by_four(two, four, size, found);
            for (std::size_t at = 0; at < 4; ++at) {
                sums(i - first, j + at) += found[at];
                sums(i + 1 - first, j + at) += found[4 + at];
            }
        }
    }
    for (std::size_t i = first; i < last; ++i) {
        for (std::size_t j = i < pairs ? fours : 0; j <= i; ++j) {
            std::int64_t total = 0;
            for (std::size_t k = 0; k < size; ++k) total += std::int64_t{left(i, k)} * right(j, k);
            sums(i - first, j) += total;
        }
    }
}

/// Add the sums of rows `first` to `last` to the two halves, and clear them.
void carry(Matrix<std::int64_t>& sums, std::size_t first, std::size_t last, MatrixView<std::int64_t> hi,
           MatrixView<std::int64_t> lo) {
    constexpr std::int64_t mask = (std::int64_t{1} << CARRY) - 1;
    for (std::size_t i = first; i < last; ++i) {
        Watch::look_now_and_then();
        for (std::size_t j = 0; j < sums.columns(); ++j) {
            hi(i, j) += sums(i - first, j) >> CARRY;
            lo(i, j) += sums(i - first, j) & mask;
            sums(i - first, j) = 0;
        }
    }
}

}  // namespace

void add_products(const SlicedColumns& columns, std::size_t first, std::size_t last, MatrixView<std::int64_t> hi,
                  MatrixView<std::int64_t> lo) {
    const std::size_t rows = columns.rows();
    // Full registers, so that only the last block has a remainder.
    const std::size_t block = std::max(SHORTEST_BLOCK, std::min(LONGEST_BLOCK, NUMBERS_AT_ONCE / rows / 16 * 16));
    const bool weighted = !columns.digits.empty();
    Matrix<std::int32_t> sliced(rows, block), weighed(weighted ? rows : 0, block);
    // The slices of many columns are cut again for each band, which costs little compared with the products.
    const std::size_t band = std::min(rows, std::max<std::size_t>(4, SUMS_AT_ONCE / rows / 4 * 4));
    Matrix<std::int64_t> sums(band, rows);
    for (std::size_t top = 0; top < rows; top += band) {
        const std::size_t bottom = std::min(rows, top + band);
        std::size_t done = 0;
        for (std::size_t start = first; start < last; start += block) {
            const std::size_t size = std::min(last - start, block);
            slice(columns, start, size, sliced);
            for (std::size_t row = top; weighted && row < bottom; ++row) {
                for (std::size_t i = 0; i < size; ++i) weighed(row, i) = sliced(row, i) * columns.digits[start + i];
            }
            add_inner_products(weighted ? weighed : sliced, sliced, size, top, bottom, sums);
            done += size;
            // Digits of 4 bits allow fewer rows by the same factor.
            if (done >= ROWS_AT_ONCE || weighted) {
                carry(sums, top, bottom, hi, lo);
                done = 0;
            }
        }
        carry(sums, top, bottom, hi, lo);
    }
}

/// Only the largest value, and the smallest of the lowest bits, are decomposed.
BitRange bit_range(std::span<const double> column) {
    constexpr std::uint64_t magnitude = ~std::uint64_t{0} >> 1, fraction = magnitude >> 11;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    // Independent lanes, so that one instruction processes several values.
    constexpr std::size_t LANES = 8;
    double largest[LANES], smallest[LANES];
    std::fill_n(largest, LANES, 0.0);
    std::fill_n(smallest, LANES, infinity);
    const auto look_at = [&](double value, std::size_t lane) {
        const std::uint64_t pattern = std::bit_cast<std::uint64_t>(value) & magnitude;
        const double size = std::bit_cast<double>(pattern);
        // The number less the lowest bit of its fraction; if it has none, the leading bit is the lowest.
        const double rest = std::bit_cast<double>(pattern & (pattern - 1));
        const double lowest = pattern & fraction ? size - rest : size;
        const double known = pattern ? lowest : infinity;
        largest[lane] = size > largest[lane] ? size : largest[lane];
        smallest[lane] = known < smallest[lane] ? known : smallest[lane];
    };
    const std::size_t whole = column.size() / LANES * LANES;
    for (std::size_t i = 0; i < whole; i += LANES) {
        for (std::size_t lane = 0; lane < LANES; ++lane) look_at(column[i + lane], lane);
    }
    for (std::size_t i = whole; i < column.size(); ++i) look_at(column[i], 0);
    const double most = *std::max_element(largest, largest + LANES), least = *std::min_element(smallest, smallest + LANES);
    // The exponent is that of the leading bit.
    if (most == 0) return {};
    return {std::ilogb(most) + 1, std::ilogb(least)};
}

}  // namespace stablebn
