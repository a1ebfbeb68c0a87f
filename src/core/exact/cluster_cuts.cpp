#include "exact/cluster_cuts.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "runtime/pool.hpp"

namespace stablebn {

namespace {

bool has(const Bits& set, int v) { return set[v / 64] >> (v % 64) & 1; }
void put(Bits& set, int v) { set[v / 64] |= std::uint64_t{1} << (v % 64); }
bool meets(const Bits& a, const Bits& b) {
    for (std::size_t w = 0; w < a.size(); ++w) {
        if (a[w] & b[w]) return true;
    }
    return false;
}

class Growing {
public:
    Growing(int variables, std::span<const Share> shares) : n_(variables), own_(variables), with_(variables) {
        for (const Share& share : shares) {
            own_[share.child].push_back(&share);
            for (int u = 0; u < n_; ++u) {
                if (has(share.parents, u)) with_[u].push_back(&share);
            }
        }
    }

    /// Grow a cluster by the variable with the least resulting sum, to the end, and record each violated cluster.
    void grow(std::initializer_list<int> start, double least_lack, std::map<Bits, double>& found) const {
        Bits cluster{};
        double sum = 0;
        int size = 0;
        for (const int v : start) {
            sum += added(cluster, v);
            put(cluster, v);
            ++size;
        }
        while (true) {
            if (sum < 1 - least_lack) found.try_emplace(cluster, 1 - sum);
            if (size == n_) return;
            int best = -1;
            double least = 0;
            for (int u = 0; u < n_; ++u) {
                if (has(cluster, u)) continue;
                const double own = added(cluster, u);
                if (best < 0 || own < least) best = u, least = own;
            }
            // If the cluster is violated and every extension reduces the violation, larger ones are no better.
            if (least > 0 && sum < 1 - least_lack) return;
            sum += least;
            put(cluster, best);
            ++size;
        }
    }

    /// Call a function with the arcs of the solution, from each parent to its child.
    template <class Use>
    void for_arcs(const Use& use) const {
        for (int u = 0; u < n_; ++u) {
            for (const Share* share : with_[u]) use(u, share->child);
        }
    }

private:
    /// How much one more variable adds to the sum of values without a parent in the cluster.
    double added(const Bits& cluster, int u) const {
        double sum = 0;
        for (const Share* share : own_[u]) {
            if (!meets(share->parents, cluster)) sum += share->share;
        }
        for (const Share* share : with_[u]) {
            if (has(cluster, share->child) && !meets(share->parents, cluster)) sum -= share->share;
        }
        return sum;
    }

    int n_;
    std::vector<std::vector<const Share*>> own_, with_;
};

}  // namespace

std::vector<Bits> violated_clusters(int variables, std::span<const Share> shares, double least_lack, std::size_t most) {
    const Growing growing(variables, shares);
    std::map<Bits, double> found;
    for (int v = 0; v < variables; ++v) growing.grow({v}, least_lack, found);
    growing.for_arcs([&](int u, int v) {
        Watch::look_now_and_then();
        growing.grow({u, v}, least_lack, found);
    });
    std::vector<std::pair<double, Bits>> sorted;
    for (const auto& [cluster, lack] : found) sorted.emplace_back(-lack, cluster);
    std::sort(sorted.begin(), sorted.end());
    std::vector<Bits> best;
    for (const auto& [lack, cluster] : sorted) {
        if (best.size() == most) break;
        best.push_back(cluster);
    }
    return best;
}

}  // namespace stablebn
