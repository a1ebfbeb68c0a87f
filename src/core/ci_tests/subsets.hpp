// The subsets of a pool of variables, one after the other.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace stablebn {

/// A place among the subsets of a pool: by growing size, those of one size in lexicographic order of places in it.
class SubsetCursor {
public:
    /// At the first subset of the smallest size. `tried` says of each variable of the pool whether it is in a set of
    /// which no subset is worth a test; where it is empty, none is.
    SubsetCursor(std::vector<int> pool, int smallest, int largest, std::vector<bool> tried = {});

    /// Whether there is no subset left.
    bool ended() const { return size() > largest_; }

    /// Members of the subset.
    int size() const { return static_cast<int>(places_.size()); }
    int operator[](int at) const { return pool_[places_[at]]; }
    std::vector<int> members() const;

    /// Whether the subset is worth a test: it is empty, or has a member that was not tried.
    bool is_new() const;

    /// Step to the next subset of any size.
    void next();

private:
    bool next_of_this_size();

    std::vector<int> pool_;
    std::vector<bool> tried_;
    std::vector<int> places_;
    int largest_;
};

}  // namespace stablebn
