#include "exact/dual_ascent.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <map>

#include "runtime/pool.hpp"

namespace stablebn {

namespace {

using Mask = std::uint64_t;

// Clusters that are compared before one is raised.
constexpr int MOST_COMPARED = 12;
// With more choices fewer clusters are compared, so that a step costs at most this much work.
constexpr std::size_t WORK_PER_STEP = 400'000;
// Rounds without a better bound after which steps become smaller.
constexpr int ROUNDS_IN_VAIN = 20;
constexpr int LONGEST = 1 << 12;

class Ascent {
public:
    Ascent(std::span<const std::vector<LargeChoice>> choices, const ClusterNumbers& start, Wide most)
        : n_(static_cast<int>(choices.size())), most_(most), left_(choices.begin(), choices.end()), least_(choices.size()),
          tight_(choices.size()) {
        for (const auto& [cluster, number] : start) change(cluster, number);
        find_bound();
    }

    /// Raise one multiplier after the other.
    void raise_while_stuck(int most_steps) {
        for (int step = 0; step < most_steps && bound_ <= most_; ++step) {
            Watch::look_now_and_then();
            const Mask stuck = stuck_among(all());
            if (!stuck) break;
            raise(best_within(stuck));
        }
        remember();
    }

    /// Change all multipliers at once by subgradients: up for clusters in which the best choices leave no member
    /// without a parent, down for those with several such members. Steps become smaller while the bound does not rise.
    void follow_subgradients(std::int64_t most_work) {
        std::size_t count = 0;
        for (const auto& own : left_) count += own.size();
        int size = LONGEST, in_vain = 0;
        while (most_work > 0 && size > 0 && best_bound_ <= most_) {
            Watch::look_now_and_then();
            std::vector<Mask> chosen(static_cast<std::size_t>(n_));
            for (int v = 0; v < n_; ++v) chosen[v] = tight_[v].front();
            for (const Mask cluster : cycles_of(chosen)) numbers_.try_emplace(cluster, 0);
            std::vector<std::pair<Mask, int>> slopes;
            std::int64_t norm = 0;
            for (const auto& [cluster, number] : numbers_) {
                int sources = 0;
                for (Mask rest = cluster; rest; rest &= rest - 1) sources += !(chosen[std::countr_zero(rest)] & cluster);
                const int slope = 1 - sources;
                if (slope == 0 || (slope < 0 && number == 0)) continue;
                slopes.emplace_back(cluster, slope);
                norm += std::int64_t{slope} * slope;
            }
            if (norm == 0) break;
            const Wide step = (most_ - bound_ + 1) * size / (LONGEST * norm) + 1;
            for (const auto& [cluster, slope] : slopes) {
                change(cluster, std::max(step * slope, -numbers_[cluster]));
                most_work -= static_cast<std::int64_t>(count) * std::popcount(cluster) / n_;
            }
            find_bound();
            most_work -= static_cast<std::int64_t>(count) + 1;
            if (bound_ > best_bound_) {
                remember();
                in_vain = 0;
            } else if (++in_vain == ROUNDS_IN_VAIN) {
                in_vain = 0;
                size = size * 3 / 4;
                return_to_best();
            }
        }
    }

    ClusterNumbers best() const { return {best_numbers_.begin(), best_numbers_.end()}; }

private:
    Mask all() const { return n_ == 64 ? ~Mask{0} : (Mask{1} << n_) - 1; }

    void find_tight(int v) {
        auto& own = left_[v];
        least_[v] = own.front().loss;
        for (const LargeChoice& choice : own) least_[v] = std::min(least_[v], choice.loss);
        tight_[v].clear();
        for (const LargeChoice& choice : own) {
            if (choice.loss == least_[v]) tight_[v].push_back(choice.parents);
        }
    }

    /// The members of a set that cannot be placed in sequence, each with a tight choice without a parent among those
    /// still to be placed.
    Mask stuck_among(Mask set) const {
        for (bool placed = true; placed;) {
            placed = false;
            for (Mask rest = set; rest; rest &= rest - 1) {
                const int v = std::countr_zero(rest);
                for (const Mask parents : tight_[v]) {
                    if (parents & set) continue;
                    set ^= Mask{1} << v;
                    placed = true;
                    break;
                }
            }
        }
        return set;
    }

    /// A smallest such subset: members are removed one by one, starting at `first`.
    Mask shrunk(Mask set, int first) const {
        for (int k = 0; k < n_; ++k) {
            const int v = (first + k) % n_;
            if (!(set >> v & 1)) continue;
            const Mask smaller = stuck_among(set & ~(Mask{1} << v));
            if (smaller) set = smaller;
        }
        return set;
    }

    /// How much the multiplier of a cluster can be raised: the reduced loss of the cheapest choice without a parent in
    /// it.
    Wide room_of(Mask cluster) const {
        Wide room = most_ - bound_ + 1;
        for (Mask rest = cluster; rest; rest &= rest - 1) {
            const int v = std::countr_zero(rest);
            for (const LargeChoice& choice : left_[v]) {
                if (!(choice.parents & cluster)) room = std::min(room, choice.loss - least_[v]);
            }
        }
        return room;
    }

    /// Among some smallest clusters the one that can be raised most; ties by size, then by bits.
    Mask best_within(Mask stuck) const {
        std::size_t count = 0;
        for (const auto& own : left_) count += own.size();
        const int compared = static_cast<int>(std::clamp<std::size_t>(WORK_PER_STEP / (count + 1), 1, MOST_COMPARED));
        const int members = std::popcount(stuck);
        Mask best = 0;
        Wide most_room = 0;
        int place = 0, tried = 0;
        for (Mask rest = stuck; rest && tried < compared; rest &= rest - 1, ++place) {
            // Evenly among the members.
            if (place * compared / members < tried) continue;
            ++tried;
            const Mask cluster = shrunk(stuck, std::countr_zero(rest));
            const Wide room = room_of(cluster);
            const auto is_better = [&] {
                if (!best || room != most_room) return !best || room > most_room;
                const int size = std::popcount(cluster), known = std::popcount(best);
                return size != known ? size < known : cluster < best;
            };
            if (is_better()) best = cluster, most_room = room;
        }
        return best;
    }

    void raise(Mask cluster) {
        const Wide room = room_of(cluster);
        change(cluster, room);
        bound_ += room;
        for (Mask rest = cluster; rest; rest &= rest - 1) find_tight(std::countr_zero(rest));
    }

    /// Subtract `by` from the choices without a parent in a cluster.
    void change(Mask cluster, Wide by) {
        numbers_[cluster] += by;
        for (Mask rest = cluster; rest; rest &= rest - 1) {
            for (LargeChoice& choice : left_[static_cast<std::size_t>(std::countr_zero(rest))]) {
                if (!(choice.parents & cluster)) choice.loss -= by;
            }
        }
    }

    /// Smallest clusters in which all given choices have a parent.
    std::vector<Mask> cycles_of(const std::vector<Mask>& chosen) const {
        std::vector<Mask> found;
        Mask open = all();
        for (bool placed = true; placed;) {
            placed = false;
            for (Mask rest = open; rest; rest &= rest - 1) {
                const int v = std::countr_zero(rest);
                if (chosen[v] & open) continue;
                open ^= Mask{1} << v;
                placed = true;
            }
        }
        // Follow a parent of each until one repeats: the cycle is such a cluster. From every variable, take the lowest
        // parent.
        for (Mask rest = open; rest; rest &= rest - 1) {
            Mask seen = 0, cycle = 0;
            int v = std::countr_zero(rest);
            while (!(seen >> v & 1)) {
                seen |= Mask{1} << v;
                v = std::countr_zero(chosen[v] & open);
            }
            while (!(cycle >> v & 1)) {
                cycle |= Mask{1} << v;
                v = std::countr_zero(chosen[v] & open);
            }
            if (std::ranges::find(found, cycle) == found.end()) found.push_back(cycle);
        }
        return found;
    }

    void find_bound() {
        std::erase_if(numbers_, [](const auto& own) { return own.second == 0; });
        bound_ = 0;
        for (int v = 0; v < n_; ++v) find_tight(v);
        for (const auto& [cluster, number] : numbers_) bound_ += number;
        for (const Wide least : least_) bound_ += least;
    }

    void return_to_best() {
        const auto known = numbers_;
        for (const auto& [cluster, number] : known) change(cluster, -number);
        for (const auto& [cluster, number] : best_numbers_) change(cluster, number);
        find_bound();
    }

    void remember() {
        best_bound_ = bound_;
        best_numbers_ = numbers_;
    }

    int n_;
    Wide most_, bound_ = 0, best_bound_ = 0;
    /// By variable: the choices with reduced losses, the least of these, and the parents of choices that have it.
    std::vector<std::vector<LargeChoice>> left_;
    std::vector<Wide> least_;
    std::vector<std::vector<Mask>> tight_;
    std::map<Mask, Wide> numbers_, best_numbers_;
};

}  // namespace

ClusterNumbers ascend(std::span<const std::vector<LargeChoice>> choices, const ClusterNumbers& start, Wide most, int most_steps,
                      std::int64_t most_work) {
    Ascent ascent(choices, start, most);
    ascent.raise_while_stuck(most_steps);
    ascent.follow_subgradients(most_work);
    return ascent.best();
}

}  // namespace stablebn
