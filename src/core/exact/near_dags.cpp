#include "exact/near_dags.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "runtime/pool.hpp"

namespace stablebn {

namespace {

using Subset = std::uint32_t;

// Subsets, or search steps, between two checks of signals.
constexpr std::uint64_t BLOCK = 1 << 14;

// More than the loss of any DAG; stands for no DAG.
constexpr Wide NEVER = Wide{1} << 118;

bool loses_less(const NearDag& a, const NearDag& b) { return a.loss < b.loss; }

class NearSearch {
public:
    NearSearch(std::span<const std::vector<Choice>> choices, Wide within, std::size_t most_dags)
        : choices_(choices),
          n_(static_cast<int>(choices.size())),
          all_((Subset{1} << n_) - 1),
          most_dags_(most_dags),
          least_(std::size_t{all_} + 1),
          chosen_(n_, -1) {
        for (std::size_t at = 1; at <= all_; ++at) {
            if (at % BLOCK == 0) Watch::look_now_and_then();
            const auto s = static_cast<Subset>(at);
            least_[s] = NEVER;
            for (Subset rest = s; rest; rest &= rest - 1) {
                const int v = std::countr_zero(rest);
                const Subset before = s ^ (Subset{1} << v);
                const Wide others = least_[before];
                // No loss is below 0, and the first choice that fits loses least.
                for (const Choice& own : choices_[v]) {
                    if (others + own.loss >= least_[s]) break;
                    if (own.parents & ~before) continue;
                    least_[s] = others + own.loss;
                    break;
                }
            }
        }
        most_ = least_[all_] + within;
    }

    NearDags list() {
        if (least_[all_] < NEVER) descend(all_, 0, 0);
        std::sort(found_.begin(), found_.end(), [](const NearDag& a, const NearDag& b) {
            return std::tie(a.loss, a.choices) < std::tie(b.loss, b.choices);
        });
        return {least_[all_], most_, std::move(found_)};
    }

private:
    /// Choose the parents of the variables of S, given those of all others, from sinks to sources.
    ///
    /// Among all orders in which sinks can be removed from a DAG, it is found in one: the sink with the highest number
    /// is removed first. So when v is removed, every remaining variable w with a higher number is not a sink: it is a
    /// parent of v, or waits for a remaining child, and must not be removed before it. The least loss of the variables
    /// of S is known exactly, so nearly every step leads to a DAG within the margin.
    void descend(Subset s, Subset waiting, Wide spent) {
        if (!s) {
            keep(spent);
            return;
        }
        if (++steps_ % BLOCK == 0) Watch::look_now_and_then();
        for (Subset rest = s & ~waiting; rest; rest &= rest - 1) {
            const int v = std::countr_zero(rest);
            const Subset before = s ^ (Subset{1} << v);
            const Subset later = before & ~((Subset{2} << v) - 1);
            const Wide without = spent + least_[before];
            for (std::size_t at = 0; at < choices_[v].size(); ++at) {
                const Choice& own = choices_[v][at];
                // The current bound, because DAGs found since may have lowered it.
                if (without + own.loss > most_) break;
                if (own.parents & ~before) continue;
                const Subset still_waiting = (waiting | later) & ~own.parents;
                if (before && !(before & ~still_waiting)) continue;
                chosen_[v] = static_cast<int>(at);
                descend(before, still_waiting, spent + own.loss);
            }
        }
    }

    void keep(Wide loss) {
        found_.push_back({loss, chosen_});
        std::push_heap(found_.begin(), found_.end(), loses_less);
        if (found_.size() <= most_dags_) return;
        const Wide worst = found_.front().loss;
        while (!found_.empty() && found_.front().loss == worst) {
            std::pop_heap(found_.begin(), found_.end(), loses_less);
            found_.pop_back();
        }
        most_ = worst - 1;
    }

    std::span<const std::vector<Choice>> choices_;
    int n_;
    Subset all_;
    std::size_t most_dags_;
    /// By subset of the variables, the least loss of a DAG over it.
    std::vector<Wide> least_;
    std::vector<int> chosen_;
    Wide most_ = 0;
    std::uint64_t steps_ = 0;
    std::vector<NearDag> found_;
};

}  // namespace

NearDags near_dags(std::span<const std::vector<Choice>> choices, Wide within, std::size_t most_dags) {
    return NearSearch(choices, within, most_dags).list();
}

}  // namespace stablebn
