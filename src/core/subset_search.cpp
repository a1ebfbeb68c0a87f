#include "subset_search.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <set>

#include "pool.hpp"

namespace stablebn {

namespace {

using Subset = std::uint32_t;

// Subsets between two looks at signals.
constexpr Subset BLOCK = 1 << 16;

// Up to so many variables all least losses of a variable are worked out beforehand; of more that would be too much memory.
constexpr int FEW = 14;
using First = std::array<std::int16_t, 16>;
// In place of the first choice within a set: there is none. There can be more choices than sets, as many differ only outside.
constexpr std::int16_t NO_CHOICE = std::numeric_limits<std::int16_t>::max();

// More than any DAG loses, and what stands for no DAG at all.
constexpr Wide NEVER = Wide{1} << 118;

class SubsetSearch {
public:
    explicit SubsetSearch(std::span<const std::vector<Choice>> choices)
        : choices_(choices), n_(static_cast<int>(choices.size())), all_((Subset{1} << n_) - 1), least_(std::size_t{all_} + 1) {
        const auto are_few = [](const auto& own) { return own.size() < static_cast<std::size_t>(NO_CHOICE); };
        if (n_ <= FEW && std::ranges::all_of(choices_, are_few)) find_first();
        for (Subset s = 1; s <= all_ && s; ++s) {
            if (s % BLOCK == 0) Watch::look_now_and_then();
            least_[s] = NEVER;
            for (Subset rest = s; rest; rest &= rest - 1) {
                const int v = std::countr_zero(rest);
                const Subset before = s ^ (Subset{1} << v);
                least_[s] = std::min(least_[s], least_[before] + least_of(v, before));
            }
        }
    }

    Wide loss() const { return least_[all_]; }

    /// R(S) is the least loss of placing all others after S: a choice is usable where L(S) + its loss + R(S + v) is the least.
    std::vector<std::vector<std::uint8_t>> usable() const {
        std::vector<Wide> rest(least_.size());
        std::vector<std::vector<std::uint8_t>> found(n_);
        for (int v = 0; v < n_; ++v) found[v].resize(choices_[v].size());
        for (Subset s = all_; s-- > 0;) {
            if (s % BLOCK == 0) Watch::look_now_and_then();
            rest[s] = NEVER;
            for (Subset left = all_ & ~s; left; left &= left - 1) {
                const int v = std::countr_zero(left);
                rest[s] = std::min(rest[s], rest[s | (Subset{1} << v)] + least_of(v, s));
            }
            if (least_[s] + rest[s] != loss()) continue;
            for (Subset left = all_ & ~s; left; left &= left - 1) {
                const int v = std::countr_zero(left);
                const Wide before = least_[s] + rest[s | (Subset{1} << v)];
                for (std::size_t at = 0; at < choices_[v].size(); ++at) {
                    const Choice& own = choices_[v][at];
                    if (before + own.loss > loss()) break;
                    if (!(own.parents & ~s) && before + own.loss == loss()) found[v][at] = 1;
                }
            }
        }
        return found;
    }

    /// Best DAGs, from sinks to sources; false if there are more, or it takes more steps.
    bool list(std::size_t most, std::int64_t steps, std::vector<std::vector<int>>& dags) const {
        std::set<std::vector<int>> found;
        std::vector<int> chosen(n_, -1);
        const bool all = descend(all_, n_, 0, chosen, most, steps, found);
        dags.assign(found.begin(), found.end());
        return all;
    }

    std::vector<int> order() const {
        std::vector<int> order(loss() < NEVER ? n_ : 0);
        Subset s = all_;
        for (auto place = order.rbegin(); place != order.rend(); ++place) {
            for (Subset rest = s;; rest &= rest - 1) {
                *place = std::countr_zero(rest);
                const Subset before = s ^ (Subset{1} << *place);
                if (least_[before] + least_of(*place, before) != least_[s]) continue;
                s = before;
                break;
            }
        }
        return order;
    }

private:
    /// Choices are sorted, so that the first within a set is the first equal to it or within one with a variable less.
    void find_first() {
        const std::size_t subsets = least_.size();
        First none;
        none.fill(NO_CHOICE);
        first_.assign(subsets, none);
        for (int v = 0; v < n_; ++v) {
            for (std::size_t at = choices_[v].size(); at-- > 0;) {
                first_[choices_[v][at].parents][v] = static_cast<std::int16_t>(at);
            }
        }
        for (std::size_t half = 1; half < subsets; half *= 2) {
            for (std::size_t s = half; s < subsets; s = (s + 1) | half) {
                // Copies, so that the compiler may take all at once.
                const First own = first_[s], smaller = first_[s - half];
                First least;
                for (std::size_t v = 0; v < least.size(); ++v) least[v] = std::min(own[v], smaller[v]);
                first_[s] = least;
            }
        }
    }

    Wide least_of(int v, Subset among) const {
        if (!first_.empty()) {
            const std::int16_t first = first_[among][v];
            return first == NO_CHOICE ? NEVER : choices_[v][static_cast<std::size_t>(first)].loss;
        }
        for (const Choice& own : choices_[v]) {
            if (!(own.parents & ~among)) return own.loss;
        }
        return NEVER;
    }

    /// Every DAG is met in the order that takes away the last of its sinks first: the one taken before, if later in number,
    /// must have been kept by this one. Some are met more than once.
    bool descend(Subset s, int last, Subset kept, std::vector<int>& chosen, std::size_t most, std::int64_t& steps,
                 std::set<std::vector<int>>& found) const {
        if (!s) {
            if (found.size() == most && !found.contains(chosen)) return false;
            found.insert(chosen);
            return true;
        }
        for (Subset rest = s; rest; rest &= rest - 1) {
            const int v = std::countr_zero(rest);
            if (v > last && !(kept >> v & 1)) continue;
            const Subset before = s ^ (Subset{1} << v);
            for (std::size_t at = 0; at < choices_[v].size(); ++at) {
                const Choice& own = choices_[v][at];
                if (least_[before] + own.loss > least_[s]) break;
                if (own.parents & ~before) continue;
                if (--steps < 0) return false;
                chosen[v] = static_cast<int>(at);
                if (!descend(before, v, own.parents, chosen, most, steps, found)) return false;
            }
        }
        return true;
    }

    std::span<const std::vector<Choice>> choices_;
    int n_;
    Subset all_;
    std::vector<Wide> least_;
    /// By set and variable: the place of the first choice within it, or NO_CHOICE; empty where there are many.
    std::vector<First> first_;
};

}  // namespace

BestDags best_dags(std::span<const std::vector<Choice>> choices, std::size_t most_dags, std::int64_t most_steps) {
    const SubsetSearch search(choices);
    BestDags best;
    best.loss = search.loss();
    if (most_dags) {
        best.usable = search.usable();
        best.are_all = search.list(most_dags, most_steps, best.dags);
    }
    return best;
}

std::vector<int> best_order(std::span<const std::vector<Choice>> choices, Wide below) {
    const SubsetSearch search(choices);
    return search.loss() < below ? search.order() : std::vector<int>{};
}

}  // namespace stablebn
