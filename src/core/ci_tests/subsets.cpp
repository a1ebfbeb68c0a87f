#include "ci_tests/subsets.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace stablebn {

SubsetCursor::SubsetCursor(std::vector<int> pool, int smallest, int largest, std::vector<bool> tried)
    : pool_(std::move(pool)),
      tried_(std::move(tried)),
      places_(smallest),
      largest_(std::min(largest, static_cast<int>(pool_.size()))) {
    std::iota(places_.begin(), places_.end(), 0);
}

std::vector<int> SubsetCursor::members() const {
    std::vector<int> found;
    for (const int place : places_) found.push_back(pool_[place]);
    return found;
}

bool SubsetCursor::is_new() const {
    return places_.empty() || tried_.empty() ||
           std::any_of(places_.begin(), places_.end(), [this](int place) { return !tried_[place]; });
}

bool SubsetCursor::next_of_this_size() {
    const int n = static_cast<int>(pool_.size()), k = size();
    int at = k - 1;
    while (at >= 0 && places_[at] == n - k + at) --at;
    if (at < 0) return false;
    ++places_[at];
    for (int later = at + 1; later < k; ++later) places_[later] = places_[later - 1] + 1;
    return true;
}

void SubsetCursor::next() {
    if (next_of_this_size()) return;
    places_.resize(places_.size() + 1);
    std::iota(places_.begin(), places_.end(), 0);
}

}  // namespace stablebn
