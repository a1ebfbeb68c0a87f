#include "family_bank.hpp"

#include <algorithm>
#include <utility>

namespace stablebn {

Choices::Choices(int variables, std::span<const std::pair<Wide, VariableSet>> families) {
    first_with_.assign(variables, families.size());
    for (const auto& [score, parents] : families) {
        for (const int u : parents) first_with_[u] = std::min(first_with_[u], scores_.size());
        scores_.push_back(score);
        parents_.insert(parents_.end(), parents.begin(), parents.end());
        ends_.push_back(parents_.size());
    }
}

bool Choices::contains(std::size_t place, int u) const {
    const auto own = parents(place);
    return std::find(own.begin(), own.end(), u) != own.end();
}

FamilyBank::FamilyBank(std::shared_ptr<FamilyScores> scores, FamilyLimits limits)
    : scores_(std::move(scores)), limits_(std::move(limits)), known_(scores_->variables()) {
    for (int v = 0; v < variables(); ++v) known_[v].try_emplace(smallest(v), Known{0});
}

bool FamilyBank::comes_before(const Listed::value_type& a, const Listed::value_type& b) {
    if (a.first != b.first) return a.first > b.first;
    if (a.second.size() != b.second.size()) return a.second.size() < b.second.size();
    return std::lexicographical_compare(a.second.begin(), a.second.end(), b.second.begin(), b.second.end());
}

void FamilyBank::extend(int child, const VariableSet& parents, Wide score) {
    auto& families = known_[child];
    auto& own = families.try_emplace(parents, Known{score}).first->second;
    if (std::exchange(own.extended, true)) return;
    const auto family = scores_->family(child, parents);
    const bool may_grow = static_cast<int>(parents.size()) < std::min(limits_.most_parents[child], scores_->most_parents());
    for (int u = 0; u < variables(); ++u) {
        const Fixed change = family->changes[u];
        if (u == child || !is_candidate(change)) continue;
        if (parents.contains(u)) {
            if (!smallest(child).contains(u)) families.try_emplace(parents.without(u), Known{score + wide(change)});
        } else if (may_grow && may_have(child, u)) {
            families.try_emplace(parents.with(u), Known{score + wide(change)});
        }
    }
}

void FamilyBank::extend_up_to(int child, const VariableSet& parents) {
    VariableSet reached = smallest(child);
    Wide score = 0;
    extend(child, reached, score);
    // The parents that bring most first: there, if anywhere, all families on the way are candidates.
    while (reached.size() < parents.size()) {
        const auto family = scores_->family(child, reached);
        int best = -1;
        for (const int u : parents) {
            if (reached.contains(u) || !is_candidate(family->changes[u])) continue;
            if (best < 0 || wide(family->changes[u]) > wide(family->changes[best])) best = u;
        }
        if (best < 0) return;
        score += wide(family->changes[best]);
        reached = reached.with(best);
        extend(child, reached, score);
    }
}

void FamilyBank::grow(int child, std::size_t width) {
    Listed level{{0, smallest(child)}};
    for (std::size_t size = smallest(child).size(); !level.empty(); ++size) {
        Wide best = level.front().first;
        for (const auto& [score, parents] : level) extend(child, parents, score);
        level.clear();
        for (const auto& [parents, known] : known_[child]) {
            if (parents.size() == size + 1) level.emplace_back(known.score, parents);
        }
        const std::size_t kept = std::min(width, level.size());
        std::partial_sort(level.begin(), level.begin() + static_cast<std::ptrdiff_t>(kept), level.end(), comes_before);
        level.resize(kept);
        // Two parents may be worth something together and nothing alone, so singles are always tried.
        if (size > smallest(child).size() && (level.empty() || level.front().first <= best)) return;
    }
}

bool FamilyBank::grow_within(int child, std::span<const int> place, std::size_t width) {
    Listed fitting;
    for (const auto& [parents, known] : known_[child]) {
        if (std::ranges::all_of(parents, [&](int u) { return place[u] < place[child]; })) {
            fitting.emplace_back(known.score, parents);
        }
    }
    const std::size_t kept = std::min(width, fitting.size());
    std::partial_sort(fitting.begin(), fitting.begin() + static_cast<std::ptrdiff_t>(kept), fitting.end(), comes_before);
    fitting.resize(kept);
    bool grown = false;
    for (const auto& [score, parents] : fitting) {
        if (known_[child].at(parents).extended) continue;
        extend(child, parents, score);
        grown = true;
    }
    return grown;
}

Choices FamilyBank::choices(int child) const {
    const auto& families = known_[child];
    Listed listed;
    for (const auto& [parents, known] : families) {
        if (known.score < 0) continue;
        // One that is worth no more than a smaller one which fits wherever it does is never chosen.
        const bool beaten = std::ranges::any_of(parents, [&, &parents = parents, &known = known](int u) {
            const auto smaller = families.find(parents.without(u));
            return smaller != families.end() && smaller->second.score >= known.score;
        });
        if (!beaten) listed.emplace_back(known.score, parents);
    }
    std::ranges::sort(listed, comes_before);
    return Choices(variables(), listed);
}

}  // namespace stablebn
