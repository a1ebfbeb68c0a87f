// Values of a function of joint counts for all sets of variables up to some size, computed at once.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "numeric/fixed.hpp"
#include "runtime/pool.hpp"
#include "table/rows.hpp"
#include "table/variable_set.hpp"

namespace stablebn {

/// The sets of at most `most_members` variables with at most `most_cells` joint configurations, with the value of a
/// function for each.
///
/// Every such set S belongs to a top set: missing variables are added to S, the lowest first, until the next one would
/// make it too large. Only top sets are counted from the rows. The counts of the other sets follow by summing over
/// levels: removing a variable costs as many additions as there are cells.
class AllSets {
public:
    /// Maps the joint counts of a set, some of which may be 0, and its number of configurations to the value.
    using OfCounts = std::function<Fixed(std::span<const std::int64_t>, double)>;

    AllSets(const Rows& rows, int most_members, std::int64_t most_cells);

    /// Whether sets of this many variables with at most this many configurations are included.
    bool has(std::size_t members, double configurations) const {
        return static_cast<int>(members) <= most_members_ && configurations <= static_cast<double>(most_cells_);
    }
    Fixed operator[](const VariableSet& set) const { return values_[place_of(set)]; }

    /// Estimated nanoseconds to compute all values for a number of rows.
    double cost(std::int64_t rows) const;
    /// Number of stored values, including those of sets with too many cells.
    std::size_t size() const { return size_; }

    void work_out(const OfCounts& of_counts, Pool& pool);

private:
    struct Walk;

    std::size_t place_of(const VariableSet& set) const;
    bool is_top(std::span<const int> members, std::int64_t cells) const;

    const Rows& rows_;
    int n_, most_members_;
    std::int64_t most_cells_;
    std::vector<std::vector<std::size_t>> choose_;
    std::vector<std::size_t> first_of_size_;
    std::size_t size_ = 0;
    std::vector<Fixed> values_;
};

}  // namespace stablebn
