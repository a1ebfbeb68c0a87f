#include "order_search/family_bank.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace stablebn {

Choices::Choices(int variables, std::span<const std::pair<Wide, VariableSet>> families) {
    first_with_.assign(variables + 1, 0);
    for (const auto& [score, parents] : families) {
        scores_.push_back(score);
        parents_.insert(parents_.end(), parents.begin(), parents.end());
        ends_.push_back(parents_.size());
        for (const int u : parents) ++first_with_[u + 1];
    }
    std::partial_sum(first_with_.begin(), first_with_.end(), first_with_.begin());
    places_.resize(parents_.size());
    std::vector<std::size_t> next = first_with_;
    for (std::size_t place = 0; place < size(); ++place) {
        for (const int u : parents(place)) places_[next[u]++] = place;
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

FamilyBank::Listed FamilyBank::extend(int child, const VariableSet& parents, Wide score) {
    auto& families = known_[child];
    families.try_emplace(parents, Known{score}).first->second.extended = true;
    const auto family = scores_->family(child, parents);
    const bool may_grow = static_cast<int>(parents.size()) < std::min(limits_.most_parents[child], scores_->most_parents());
    Listed larger;
    for (int u = 0; u < variables(); ++u) {
        const Fixed change = family->changes[u];
        if (u == child || !is_candidate(change)) continue;
        const Wide other = score + change.units;
        if (parents.contains(u)) {
            if (!smallest(child).contains(u)) families.try_emplace(parents.without(u), Known{other});
        } else if (may_grow && may_have(child, u)) {
            larger.emplace_back(other, parents.with(u));
            // A family that scores no more than this subset is never chosen.
            if (other > score) families.try_emplace(larger.back().second, Known{other});
        }
    }
    return larger;
}

void FamilyBank::take_in(const CandidateSearch& found) {
    for (int v = 0; v < variables(); ++v) {
        const auto candidates = found.candidates(v);
        // The first has only the required parents.
        for (const auto& [parents, gain] : candidates) known_[v].try_emplace(parents, Known{gain - candidates.front().gain});
    }
    complete_ = found.complete();
}

void FamilyBank::extend_up_to(int child, const VariableSet& parents) {
    VariableSet reached = smallest(child);
    Wide score = 0;
    extend(child, reached, score);
    // The parents with the greatest gain first: then the families on the way are most likely candidates.
    while (reached.size() < parents.size()) {
        const auto family = scores_->family(child, reached);
        int best = -1;
        for (const int u : parents) {
            if (reached.contains(u) || !is_candidate(family->changes[u])) continue;
            if (best < 0 || family->changes[u].units > family->changes[best].units) best = u;
        }
        if (best < 0) return;
        score += family->changes[best].units;
        reached = reached.with(best);
        extend(child, reached, score);
    }
}

void FamilyBank::grow(int child, std::size_t width) {
    Listed level{{0, smallest(child)}};
    // Two parents may improve the score together and neither alone, so single parents are always extended.
    for (bool is_first = true; !level.empty(); is_first = false) {
        const Wide best = level.front().first;
        Listed next;
        for (const auto& [score, parents] : level) {
            auto larger = extend(child, parents, score);
            next.insert(next.end(), std::make_move_iterator(larger.begin()), std::make_move_iterator(larger.end()));
        }
        std::ranges::sort(next, comes_before);
        next.erase(std::unique(next.begin(), next.end()), next.end());
        if (next.size() > width) next.resize(width);
        if (!is_first && !next.empty() && next.front().first <= best) return;
        level = std::move(next);
    }
}

bool FamilyBank::grow_within(int child, std::span<const int> place, std::size_t width) {
    if (complete_) return false;
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
        // A family that scores no more than one of its subsets is never chosen.
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
