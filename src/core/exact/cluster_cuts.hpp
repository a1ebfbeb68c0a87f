// Clusters of variables: in a DAG some member of each has no parent in it. Those that a fractional solution violates.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace stablebn {

/// Most variables that clusters are looked for among.
constexpr int MOST_IN_CLUSTERS = 256;

/// Up to MOST_IN_CLUSTERS variables as bits.
using Bits = std::array<std::uint64_t, MOST_IN_CLUSTERS / 64>;

/// A family and the share that a solution gives it; the shares of each child add up to 1.
struct Share {
    int child;
    Bits parents;
    double share;
};

/// Clusters in which the shares of families of a member without a parent in the cluster add up to less than 1, by decreasing
/// lack. Grown greedily from each variable and each arc; none found does not say that there is none.
std::vector<Bits> violated_clusters(int variables, std::span<const Share> shares, double least_lack, std::size_t most);

}  // namespace stablebn
