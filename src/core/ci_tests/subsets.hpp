// The subsets of a pool of variables, in sequence.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace stablebn {

/// A position among the subsets of a pool: by size, then in lexicographic order of indices in the pool.
class SubsetCursor {
public:
    /// Starts at the first subset of the smallest size. `tried` marks variables of the pool that form a set whose
    /// subsets need no test; empty: every subset needs one.
    SubsetCursor(std::vector<int> pool, int smallest, int largest, std::vector<bool> tried = {});

    /// Whether there is no subset left.
    bool ended() const { return size() > largest_; }

    /// Number of members of the subset.
    int size() const { return static_cast<int>(places_.size()); }
    int operator[](int at) const { return pool_[places_[at]]; }
    std::vector<int> members() const;

    /// Whether the subset needs a test: it is empty, or has a member that is not marked as tried.
    bool is_new() const;

    /// Move to the next subset, of any size.
    void next();

private:
    bool next_of_this_size();

    std::vector<int> pool_;
    std::vector<bool> tried_;
    std::vector<int> places_;
    int largest_;
};

}  // namespace stablebn
