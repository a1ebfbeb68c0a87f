// The distinct rows of a table, used to find columns that can be exchanged without changing it.
//
// A table is a multiset of rows; the order of rows has no meaning. Colours and certificates are hashes, so different
// values prove a difference, and equal values prove nothing: equality is always checked on the values themselves.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/views.hpp"

namespace stablebn {

class DistinctRows {
public:
    virtual ~DistinctRows() = default;

    virtual std::size_t columns() const = 0;
    virtual std::size_t rows() const = 0;
    /// How many rows each distinct row stands for.
    virtual std::span<const std::int64_t> weights() const = 0;
    /// The index of the distinct row of each given row.
    virtual std::span<const std::size_t> places() const = 0;

    /// Return a colour per wanted column (0 for the others), given the classes of all columns. A row's colour is that
    /// of the multiset of (class of the column, value) in it; a column's, that of the multiset of (colour of the row,
    /// value).
    virtual std::vector<std::uint64_t> colours(std::span<const std::int64_t> classes, std::span<const int> wanted) const = 0;

    /// Whether exchanging two columns leaves the table unchanged.
    virtual bool exchangeable(int u, int v) const = 0;

    /// A hash of the table with its columns in this order: equal for orders that give the same table.
    virtual std::uint64_t certificate(std::span<const int> order) const = 0;

    /// Whether two column orders give the same table.
    virtual bool same(std::span<const int> order, std::span<const int> other) const = 0;
};

/// Make the distinct rows of columns of codes [columns, rows], which are not copied; `weights` says how many rows each
/// stands for (empty: 1). Code is uint8_t, uint16_t, int32_t or, for the bits of a double, uint64_t.
template <class Code>
std::unique_ptr<DistinctRows> distinct_rows(MatrixView<const Code> codes, std::span<const std::int64_t> weights);

}  // namespace stablebn
