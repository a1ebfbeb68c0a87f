// The rows of a categorical table: the level of every variable, as a small integer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "runtime/views.hpp"

namespace stablebn {

/// The codes of one variable, of 1, 2 or 4 bytes each: the level of every row.
struct Column {
    const void* codes = nullptr;
    int bytes = 1;
};

/// Call a function with the codes of a column as an array of their type.
template <class Function>
decltype(auto) with_codes(Column column, Function&& function) {
    switch (column.bytes) {
        case 1: return function(static_cast<const std::uint8_t*>(column.codes));
        case 2: return function(static_cast<const std::uint16_t*>(column.codes));
        default: return function(static_cast<const std::int32_t*>(column.codes));
    }
}

/// All columns; the codes are not owned.
struct Rows {
    std::size_t count = 0;
    std::vector<Column> columns;
    /// Number of levels of each variable.
    std::vector<int> levels;
    /// Whether the last level of a variable stands for a missing value; empty: no values are missing.
    std::vector<bool> holes;
    /// How many rows each row stands for; empty if each stands for itself.
    std::span<const std::int64_t> weights;
    /// The sum of the weights.
    std::int64_t total = 0;
    /// The rows of every level in the form of `PackedLevels`, if they were written before.
    MatrixView<const std::uint64_t> packed;

    int variables() const { return static_cast<int>(columns.size()); }
    bool weighted() const { return !weights.empty(); }
    bool has_holes(int v) const { return !holes.empty() && holes[v]; }
    /// Number of values of a variable: its levels without the one for missing values.
    int values(int v) const { return levels[v] - has_holes(v); }
};

/// A partition of the rows: the group of every row, 0 <= group < groups; some groups may be empty.
struct Partition {
    std::vector<std::int32_t> group;
    std::int64_t groups = 1;
};

/// Number of possible joint configurations of some variables; a double, because it may be very large.
double states(const Rows& rows, std::span<const int> variables);
/// Same, without missing values.
double states_of_values(const Rows& rows, std::span<const int> variables);

/// Whether none of some variables has missing values.
bool have_no_holes(const Rows& rows, std::span<const int> variables);

/// The rows in which all of some variables are known, ascending.
std::vector<std::int32_t> complete_rows_of(const Rows& rows, std::span<const int> variables);

/// The configuration of every row, the last variable fastest, for at most 2**16 configurations.
std::vector<std::uint16_t> configurations(const Rows& rows, std::span<const int> variables);
/// Same for consecutive rows from `begin` on, as many as `out` has elements.
void write_configurations(const Rows& rows, std::span<const int> variables, std::size_t begin,
                          std::span<std::uint16_t> numbers);

/// The partition of all rows by the values of some variables.
Partition partition(const Rows& rows, std::span<const int> variables);

/// Split a partition of some rows by one more variable. Group numbers are group * levels + code while there are no more
/// of these than rows; beyond that only groups that occur are numbered.
Partition split(const Partition& known, std::span<const std::int32_t> rows, Column column, int levels);

/// Rows sorted by group (stable), and the start of each group.
struct Grouped {
    std::vector<std::int32_t> rows;
    std::vector<std::int64_t> starts;
};
Grouped rows_by_group(std::span<const std::int32_t> group, std::int64_t groups);

/// The configurations of the groups that occur, in the order of the groups, as `ConfigurationKeys` writes them.
std::vector<std::uint64_t> keys_of_groups(const Rows& rows, std::span<const int> variables, const Partition& groups);

/// Number of rows in each group, by weight.
template <class Group>
std::vector<std::int64_t> group_sizes(std::span<const Group> group, std::size_t groups,
                                      std::span<const std::int64_t> weights) {
    std::vector<std::int64_t> sizes(groups, 0);
    if (weights.empty()) {
        for (const Group g : group) ++sizes[static_cast<std::size_t>(g)];
    } else {
        for (std::size_t i = 0; i < group.size(); ++i) sizes[static_cast<std::size_t>(group[i])] += weights[i];
    }
    return sizes;
}

}  // namespace stablebn
