// Counting with bit sets: a level of a variable is the set of its rows, and counts are sizes of intersections.
//
// A word holds 64 rows; one AND and one population count process all of them. For tables with few cells this is much
// faster than a histogram, with the same integer counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/engine.hpp"
#include "table/rows.hpp"
#include "runtime/views.hpp"

namespace stablebn {

using Word = std::uint64_t;
constexpr std::size_t WORD = 64;

class Pool;

/// The rows of every level of variables without too many levels, as bits: row i is bit i % 64 of word i / 64.
class PackedLevels {
public:
    PackedLevels() = default;
    /// `first[v]`: index of the first level of variable v; -1 if it has none.
    PackedLevels(const Rows& rows, std::span<const int> first, int height, Pool& pool);
    /// Use words that another object owns.
    explicit PackedLevels(MatrixView<const Word> written) : bits_(written) {}

    std::size_t words() const { return bits_.columns; }
    const Word* operator[](std::size_t level) const { return bits_.data + level * bits_.columns; }
    bool empty() const { return bits_.empty(); }

private:
    std::shared_ptr<const Matrix<Word>> own_;
    MatrixView<const Word> bits_;
};

/// Write the rows of every level of a column, one level after the other.
void pack(Column column, std::size_t rows, int levels, Word* out);

/// Number of rows in both of two sets.
inline std::int64_t common(const Word* a, const Word* b, std::size_t words) { return kernels().common(a, b, words); }

/// Add the sizes of all intersections of levels and sets: out[m * stride + k] for level m and set k.
void add_common(std::span<const Word* const> levels, std::span<const Word* const> sets, std::size_t words,
                std::int32_t* out, std::size_t stride);

/// A range of words.
struct WordRange {
    std::size_t begin;
    std::size_t end;
};

/// Same for sets that are intersections of levels; they are computed in blocks and not stored. `configurations` has a
/// row of levels per set; out is [levels x configurations].
void add_common(const PackedLevels& packed, WordRange range, MatrixView<const int> configurations,
                std::span<const int> levels, MatrixView<std::int32_t> out);

}  // namespace stablebn
