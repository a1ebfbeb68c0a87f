#include "exact/subset_search.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <set>

#include "runtime/pool.hpp"
#include "exact/subset_lattice.hpp"

namespace stablebn {

namespace {

using Subset = std::uint32_t;

// Subsets between two checks of signals.
constexpr Subset BLOCK = 1 << 16;

// Up to this many variables all least losses of a variable are computed in advance; for more this would need too much
// memory.
constexpr int FEW = 14;
using First = std::array<std::int16_t, 16>;
// Stands for no choice within a set. There can be more choices than sets, because many differ only outside.
constexpr std::int16_t NO_CHOICE = std::numeric_limits<std::int16_t>::max();

// More than the loss of any DAG; stands for no DAG.
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
    /// Choices are sorted, so the first within a set is the first equal to it or the first within a subset with one
    /// variable less.
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
                // Copies, so that the compiler can vectorise.
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

    std::span<const std::vector<Choice>> choices_;
    int n_;
    Subset all_;
    std::vector<Wide> least_;
    /// By set and variable: the index of the first choice within it, or NO_CHOICE; empty if there are many variables.
    std::vector<First> first_;
};

/// Lists best DAGs, given the least losses of all subsets.
class BestDagList {
public:
    BestDagList(std::span<const std::vector<Choice>> choices, std::span<const Wide> least, std::size_t most, std::int64_t steps)
        : choices_(choices), least_(least), most_(most), steps_(steps), chosen_(choices.size(), -1) {}

    /// From sinks to sources; false if there are more DAGs, or it takes more steps.
    bool list() { return descend(static_cast<Subset>(least_.size() - 1), static_cast<int>(choices_.size()), 0); }
    std::vector<std::vector<int>> dags() const { return {found_.begin(), found_.end()}; }

private:
    /// Every DAG is found in the order that removes the last of its sinks first: a variable removed before, with a
    /// later number, must have been a parent of this one. Some DAGs are found more than once.
    bool descend(Subset s, int last, Subset kept) {
        if (!s) {
            if (found_.size() == most_ && !found_.contains(chosen_)) return false;
            found_.insert(chosen_);
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
                if (--steps_ < 0) return false;
                chosen_[v] = static_cast<int>(at);
                if (!descend(before, v, own.parents)) return false;
            }
        }
        return true;
    }

    std::span<const std::vector<Choice>> choices_;
    std::span<const Wide> least_;
    std::size_t most_;
    std::int64_t steps_;
    std::vector<int> chosen_;
    std::set<std::vector<int>> found_;
};

}  // namespace

BestDags best_dags(std::span<const std::vector<Choice>> choices, std::span<const std::vector<std::int32_t>> ranks,
                   std::size_t most_dags, std::int64_t most_steps) {
    SubsetLattice lattice(choices);
    BestDags best;
    best.loss = lattice.loss();
    if (!most_dags || best.loss >= NEVER) return best;
    if (const auto first = lattice.first(ranks)) best.first = first->choices;
    BestDagList found(choices, lattice.least(), most_dags, most_steps);
    best.are_all = found.list();
    best.dags = found.dags();
    return best;
}

std::vector<int> best_order(std::span<const std::vector<Choice>> choices, Wide below) {
    const SubsetSearch search(choices);
    return search.loss() < below ? search.order() : std::vector<int>{};
}

}  // namespace stablebn
