// Cluster cuts: in a DAG every cluster of variables has a member without a parent in it; find clusters for which a
// fractional solution violates this.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace stablebn {

/// Most variables.
constexpr int MOST_IN_CLUSTERS = 256;

/// Up to MOST_IN_CLUSTERS variables as bits.
using Bits = std::array<std::uint64_t, MOST_IN_CLUSTERS / 64>;

/// A family and its value in a solution; the values of each child sum to 1.
struct Share {
    int child;
    Bits parents;
    double share;
};

/// Clusters for which the values of members' families without a parent in the cluster sum to less than 1, by decreasing
/// violation. Grown greedily from each variable and each arc, so an empty result proves nothing.
std::vector<Bits> violated_clusters(int variables, std::span<const Share> shares, double least_lack, std::size_t most);

}  // namespace stablebn
