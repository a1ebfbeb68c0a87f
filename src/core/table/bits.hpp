// Counting with bits: a level of a variable is the set of its rows, and cells are sizes of intersections.
//
// A word holds 64 rows, and one AND with a population count looks at all of them: for tables of few cells this beats
// a histogram by far. The counts are the same integers.
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

/// The rows of every level of variables that do not have too many, as bits: row i is bit i % 64 of word i // 64.
class PackedLevels {
public:
    PackedLevels() = default;
    /// `first[v]`: where the levels of variable v start; -1 where it has none.
    PackedLevels(const Rows& rows, std::span<const int> first, int height, Pool& pool);
    /// Those that somebody else has.
    explicit PackedLevels(MatrixView<const Word> written) : bits_(written) {}

    std::size_t words() const { return bits_.columns; }
    const Word* operator[](std::size_t level) const { return bits_.data + level * bits_.columns; }
    bool empty() const { return bits_.empty(); }

private:
    std::shared_ptr<const Matrix<Word>> own_;
    MatrixView<const Word> bits_;
};

/// Write the rows of every level of a column, a level after the other.
void pack(Column column, std::size_t rows, int levels, Word* out);

/// Number of rows in both of two sets.
inline std::int64_t common(const Word* a, const Word* b, std::size_t words) { return kernels().common(a, b, words); }

/// Add the sizes of all intersections of levels and sets: out[m * stride + k] of level m and set k.
void add_common(std::span<const Word* const> levels, std::span<const Word* const> sets, std::size_t words,
                std::int32_t* out, std::size_t stride);

/// A stretch of words.
struct WordRange {
    std::size_t begin;
    std::size_t end;
};

/// Add the same of sets that are intersections of levels, which are made block by block and never kept.
///
/// `configurations` has a row of levels for each of them; out is [levels x configurations].
void add_common(const PackedLevels& packed, WordRange range, MatrixView<const int> configurations,
                std::span<const int> levels, MatrixView<std::int32_t> out);

}  // namespace stablebn
