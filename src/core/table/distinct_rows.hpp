// The distinct rows of a table: which columns can be exchanged without changing it.
//
// A table is here a multiset of rows; where a row stands means nothing. Colours and certificates are hashes and may
// only tell things apart; that something is the same is always seen in the values themselves.
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
    /// How many rows each stands for.
    virtual std::span<const std::int64_t> weights() const = 0;
    /// The place of each among the rows that were given.
    virtual std::span<const std::size_t> places() const = 0;

    /// A colour for each wanted column (0 for the others) from the classes of all. A row is coloured by the multiset of
    /// (class of the column, value) in it, a column by the multiset of (colour of the row, value).
    virtual std::vector<std::uint64_t> colours(std::span<const std::int64_t> classes, std::span<const int> wanted) const = 0;

    /// Whether the table stays the same if two columns change places.
    virtual bool exchangeable(int u, int v) const = 0;

    /// A hash of the table with its columns in this order: equal for orders that give the same table.
    virtual std::uint64_t certificate(std::span<const int> order) const = 0;

    /// Whether the table with its columns in one order is that with its columns in the other.
    virtual bool same(std::span<const int> order, std::span<const int> other) const = 0;
};

/// Of columns of codes, [columns, rows], looked at and not owned; `weights` says how many rows each stands for, none: one.
/// Code is uint8_t, uint16_t, int32_t or, for the bits of a double, uint64_t.
template <class Code>
std::unique_ptr<DistinctRows> distinct_rows(MatrixView<const Code> codes, std::span<const std::int64_t> weights);

}  // namespace stablebn
