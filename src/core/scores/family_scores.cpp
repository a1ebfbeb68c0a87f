#include "scores/family_scores.hpp"

#include <algorithm>
#include <utility>

namespace stablebn {

std::shared_ptr<const Family> FamilyScores::family(int child, const VariableSet& parents) {
    const Key key{child, parents};
    while (true) {
        const auto [known, claimed] = claim(key);
        if (known) return known;
        if (claimed) return work_out_claimed(key);
        pool().help_until([&] {
            const std::lock_guard lock(mutex_);
            const auto found = families_.find(key);
            return found == families_.end() || found->second;
        });
    }
}

bool FamilyScores::knows(int child, const VariableSet& parents) {
    const std::lock_guard lock(mutex_);
    return families_.contains({child, parents});
}

std::shared_ptr<const Family> FamilyScores::prepare(int child, const VariableSet& parents) {
    const Key key{child, parents};
    const auto [known, claimed] = claim(key);
    return claimed ? work_out_claimed(key) : known;
}

std::vector<Fixed> FamilyScores::additions(int child, const VariableSet& parents, std::span<const int> more) {
    if (parents.empty()) {
        const auto changes = first_changes()[child];
        return {changes.begin(), changes.end()};
    }
    {
        const std::lock_guard lock(mutex_);
        const auto found = families_.find({child, parents});
        if (found != families_.end() && found->second) return found->second->changes;
    }
    auto changes = work_out_additions(child, parents, more);
    charge(child, parents, changes);
    return changes;
}

std::vector<Fixed> FamilyScores::work_out_additions(int child, const VariableSet& parents, std::span<const int>) {
    return work_out(child, parents);
}

void FamilyScores::charge(int child, const VariableSet& parents, std::span<Fixed> changes) const {
    if (cost_of_arc_.units == 0) return;
    for (int u = 0; u < variables_; ++u) {
        if (u == child || !is_candidate(changes[u])) continue;
        changes[u] += parents.contains(u) ? cost_of_arc_ : -cost_of_arc_;
    }
}

std::optional<Wide> FamilyScores::most_with_more(int child, const VariableSet& parents, Wide limit) {
    const Wide arcs = cost_of_arc_.times(static_cast<std::int64_t>(parents.size()) + 1).units;
    const auto least = least_bound_with_more(child, parents);
    if (least && *least - arcs > limit) return NO_LIMIT;
    const auto bound = bound_with_more(child, parents);
    if (!bound) return bound;
    return *bound - arcs;
}

std::optional<Wide> FamilyScores::most_added(int child, const VariableSet& parents, Wide gain, int more) {
    const Wide cost = cost_of_arc_.times(static_cast<std::int64_t>(parents.size())).units;
    const auto bound = bound_added(child, parents, gain + cost, more);
    if (!bound) return bound;
    return *bound - cost_of_arc_.units;
}

std::shared_ptr<FamilyScores> FamilyScores::reordered(std::span<const int> order) {
    auto scores = renumbered(order);
    scores->cost_of_arc_ = cost_of_arc_;
    return scores;
}

namespace {

/// Computes gains for one child after the other.
class GainsByAdditions final : public Gains {
public:
    explicit GainsByAdditions(FamilyScores& scores) : scores_(scores) {}

    void work_out(const VariableSet& set, std::span<const Growing> growing) override {
        for (const Growing& own : growing) {
            const std::vector<int> more(own.more.begin(), own.more.end());
            const auto changes = scores_.additions(own.child, set.without(own.child), more);
            for (std::size_t at = 0; at < more.size(); ++at) {
                const Fixed change = changes[static_cast<std::size_t>(more[at])];
                own.gains[at] = is_candidate(change) ? own.own + change.units : NO_GAIN;
            }
        }
    }

private:
    FamilyScores& scores_;
};

}  // namespace

std::unique_ptr<Gains> FamilyScores::gains() { return std::make_unique<GainsByAdditions>(*this); }

std::unique_ptr<ParentSets> FamilyScores::parent_sets() { return std::make_unique<ExactParentSets>(*this); }

std::pair<std::shared_ptr<const Family>, bool> FamilyScores::claim(const Key& key) {
    const std::lock_guard lock(mutex_);
    const auto [found, claimed] = families_.try_emplace(key);
    return {found->second, claimed};
}

std::shared_ptr<const Family> FamilyScores::work_out_claimed(const Key& key) {
    auto made = std::make_shared<Family>();
    try {
        if (key.parents.empty()) {
            const auto changes = first_changes()[key.child];
            made->changes.assign(changes.begin(), changes.end());
        } else {
            made->changes = work_out(key.child, key.parents);
            charge(key.child, key.parents, made->changes);
        }
    } catch (...) {
        {
            const std::lock_guard lock(mutex_);
            families_.erase(key);
        }
        pool().announce();
        throw;
    }
    {
        const std::lock_guard lock(mutex_);
        families_[key] = made;
    }
    pool().announce();
    return made;
}

std::span<const Fixed> FamilyScores::first_terms() {
    first_changes();
    return first_terms_;
}

MatrixView<const Fixed> FamilyScores::first_changes() {
    std::call_once(first_once_, [this] {
        first_terms_.resize(variables_);
        first_changes_ = Matrix<Fixed>::unwritten(variables_, variables_);
        work_out_first(first_terms_, first_changes_.view());
        for (int v = 0; v < variables_; ++v) charge(v, {}, first_changes_[v]);
        knows_first_ = true;
    });
    return std::as_const(first_changes_).view();
}

void FamilyScores::work_out_first(std::span<Fixed> terms, MatrixView<Fixed> changes) {
    for (int v = 0; v < variables_; ++v) {
        terms[v] = term(v, {});
        const auto own = work_out(v, {});
        std::copy(own.begin(), own.end(), changes[v].begin());
    }
}

void FamilyScores::adopt_first(FamilyScores& other, std::span<const int> order) {
    if (!other.knows_first()) return;
    const auto changes = other.first_changes();
    std::call_once(first_once_, [&] {
        first_terms_.resize(variables_);
        first_changes_ = Matrix<Fixed>::unwritten(variables_, variables_);
        pool().share_evenly(variables_, cost_of_all_pairs(), [&](std::size_t v) {
            first_terms_[v] = other.first_terms_[order[v]];
            const auto own = first_changes_[v];
            const auto known = changes[order[v]];
            for (std::size_t u = 0; u < own.size(); ++u) own[u] = known[order[u]];
        });
        knows_first_ = true;
    });
}

FamilyScores::FirstSums FamilyScores::sums_of_first_changes() {
    const auto changes = first_changes();
    FirstSums found{std::vector<Wide>(variables_), {}};
    std::vector<std::vector<int>> barred(variables_);
    pool().share_evenly(variables_, cost_of_all_pairs(), [&](std::size_t v) {
        for (int u = 0; u < variables_; ++u) {
            if (const Fixed change = changes(v, u); is_candidate(change)) {
                found.sums[v] += change.units;
            } else {
                barred[v].push_back(u);
            }
        }
    });
    for (int v = 0; v < variables_; ++v) {
        for (const int u : barred[v]) found.barred.emplace_back(v, u);
    }
    return found;
}

double FamilyScores::cost_of_all_pairs() const { return static_cast<double>(variables_) * variables_; }

}  // namespace stablebn
