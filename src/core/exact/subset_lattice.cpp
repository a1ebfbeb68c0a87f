#include "exact/subset_lattice.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "runtime/pool.hpp"

namespace stablebn {

namespace {

// Variables whose subsets form a block: the tables of all variables fit the cache.
constexpr int MOST_LOW = 13;
constexpr std::int32_t NO_CHOICE = std::numeric_limits<std::int32_t>::max();
constexpr Wide NEVER = Wide{1} << 118;
constexpr std::size_t MOST_STEPS = 1 << 23;

}  // namespace

SubsetLattice::SubsetLattice(std::span<const std::vector<Choice>> choices)
    : choices_(choices),
      n_(static_cast<int>(choices.size())),
      low_(std::min(n_, MOST_LOW)),
      all_((Subset{1} << n_) - 1),
      low_mask_((Subset{1} << low_) - 1),
      least_(std::size_t{all_} + 1),
      first_(static_cast<std::size_t>(n_) << low_),
      kept_(static_cast<std::size_t>(n_ - low_) + 1) {
    for (auto& own : kept_) own.resize(static_cast<std::size_t>(n_));
    for (int v = 0; v < n_; ++v) {
        for (std::size_t at = 0; at < choices_[v].size(); ++at) kept_.back()[v].push_back(static_cast<std::int32_t>(at));
    }
    const Subset tops = Subset{1} << (n_ - low_);
    for (Subset top = 0; top < tops; ++top) {
        Watch::look_now_and_then();
        turn_to(top);
        for (Subset low = 0; low <= low_mask_; ++low) {
            const Subset s = (top << low_) | low;
            if (!s) continue;
            Wide least = NEVER;
            for (Subset rest = s; rest; rest &= rest - 1) {
                const int v = std::countr_zero(rest);
                const Subset before = s ^ (Subset{1} << v);
                const std::int32_t first = first_within(v, before);
                if (first == NO_CHOICE) continue;
                least = std::min(least, least_[before] + choices_[v][static_cast<std::size_t>(first)].loss);
            }
            least_[s] = least;
        }
    }
}

void SubsetLattice::turn_to(Subset top) {
    const int highs = n_ - low_;
    int changed = highs;
    if (has_top_) {
        if (top == top_) return;
        changed = std::bit_width(top ^ top_);
    }
    top_ = top;
    has_top_ = true;
    for (int open = changed - 1; open >= 0; --open) {
        const Subset barred = top >> open & 1 ? 0 : Subset{1} << (low_ + open);
        for (int v = 0; v < n_; ++v) {
            auto& own = kept_[static_cast<std::size_t>(open)][v];
            own.clear();
            for (const std::int32_t at : kept_[static_cast<std::size_t>(open) + 1][v]) {
                if (!(choices_[v][static_cast<std::size_t>(at)].parents & barred)) own.push_back(at);
            }
        }
    }
    const std::size_t subsets = std::size_t{1} << low_;
    for (int v = 0; v < n_; ++v) {
        std::int32_t* own = first_.data() + (static_cast<std::size_t>(v) << low_);
        std::fill(own, own + subsets, NO_CHOICE);
        for (const std::int32_t at : kept_.front()[v]) {
            std::int32_t& first = own[choices_[v][static_cast<std::size_t>(at)].parents & low_mask_];
            first = std::min(first, at);
        }
        for (std::size_t half = 1; half < subsets; half *= 2) {
            for (std::size_t begin = half; begin < subsets; begin += 2 * half) {
                for (std::size_t s = begin; s < begin + half; ++s) own[s] = std::min(own[s], own[s - half]);
            }
        }
    }
}

bool SubsetLattice::find_steps() {
    usable_.clear();
    for (const auto& own : choices_) usable_.emplace_back(own.size(), 0);
    std::vector<std::uint64_t> reached(least_.size() / 64 + 1, 0);
    const auto is_reached = [&](Subset s) { return reached[s / 64] >> (s % 64) & 1; };
    reached[all_ / 64] |= std::uint64_t{1} << (all_ % 64);
    for (Subset top = Subset{1} << (n_ - low_); top-- > 0;) {
        Watch::look_now_and_then();
        for (Subset low = low_mask_ + 1; low-- > 0;) {
            const Subset s = (top << low_) | low;
            if (!is_reached(s)) continue;
            turn_to(top);
            for (Subset rest = s; rest; rest &= rest - 1) {
                const int v = std::countr_zero(rest);
                const Subset before = s ^ (Subset{1} << v);
                const std::int32_t first = first_within(v, before);
                if (first == NO_CHOICE) continue;
                const auto& own = choices_[v];
                const Wide loss = own[static_cast<std::size_t>(first)].loss;
                if (least_[before] + loss != least_[s]) continue;
                reached[before / 64] |= std::uint64_t{1} << (before % 64);
                if (steps_.size() == MOST_STEPS) return false;
                steps_.push_back({before, v});
                for (auto at = static_cast<std::size_t>(first); at < own.size() && own[at].loss == loss; ++at) {
                    if (!(own[at].parents & ~before)) usable_[v][at] = 1;
                }
            }
        }
    }
    return true;
}

bool SubsetLattice::is_possible(std::span<const int> chosen) const {
    std::vector<std::uint64_t> reached(least_.size() / 64 + 1, 0);
    reached[all_ / 64] |= std::uint64_t{1} << (all_ % 64);
    for (const auto& [before, v] : steps_) {
        const Subset after = before | (Subset{1} << v);
        if (!(reached[after / 64] >> (after % 64) & 1)) continue;
        if (chosen[v] >= 0) {
            const Choice& own = choices_[v][static_cast<std::size_t>(chosen[v])];
            if ((own.parents & ~before) || least_[before] + own.loss != least_[after]) continue;
        }
        reached[before / 64] |= std::uint64_t{1} << (before % 64);
    }
    return reached[0] & 1;
}

std::optional<SubsetLattice::First> SubsetLattice::first(std::span<const std::vector<std::int32_t>> ranks) {
    if (loss() >= NEVER || !find_steps()) return std::nullopt;
    First found;
    found.is_only = true;
    found.choices.assign(static_cast<std::size_t>(n_), -1);
    for (int v = 0; v < n_; ++v) {
        std::vector<int> possible;
        for (std::size_t at = 0; at < usable_[v].size(); ++at) {
            if (usable_[v][at]) possible.push_back(static_cast<int>(at));
        }
        std::ranges::sort(possible, {}, [&](int at) { return ranks[v][static_cast<std::size_t>(at)]; });
        found.is_only = found.is_only && possible.size() == 1;
        for (const int at : possible) {
            found.choices[v] = at;
            if (at == possible.back() || is_possible(found.choices)) break;
        }
    }
    return found;
}

}  // namespace stablebn
