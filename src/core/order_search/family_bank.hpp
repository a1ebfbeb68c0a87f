// Families to choose from: of every variable those that are worth more than their subsets, the best first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "exact/candidates.hpp"
#include "scores/family_scores.hpp"
#include "table/variable_set.hpp"
#include "runtime/views.hpp"
#include "numeric/int128.hpp"

namespace stablebn {

/// What a search may choose, in canonical numbers.
struct FamilyLimits {
    /// By variable: the parents that it must have; `allowed(v, u)`: those that it may have, all where it has no rows; and
    /// how many at most.
    std::vector<VariableSet> required;
    Matrix<std::uint8_t> allowed;
    std::vector<int> most_parents;
};

/// The families of one variable from which a search chooses, the best first and, of equals, the smallest.
class Choices {
public:
    /// Worth less than any sum of families: the value of a variable of which no family fits.
    static constexpr Wide NOTHING = -(Wide{1} << 115);

    std::size_t size() const { return ends_.size(); }
    /// What a family brings beyond the smallest one that the variable may have; NOTHING beyond the last.
    Wide score(std::size_t place) const { return place < size() ? scores_[place] : NOTHING; }
    std::span<const int> parents(std::size_t place) const {
        const std::size_t begin = place ? ends_[place - 1] : 0;
        return {parents_.data() + begin, ends_[place] - begin};
    }
    bool contains(std::size_t place, int u) const;
    /// The families in which u is a parent, by their places, ascending.
    std::span<const std::size_t> with(int u) const {
        return {places_.data() + first_with_[u], first_with_[u + 1] - first_with_[u]};
    }

    Choices(int variables, std::span<const std::pair<Wide, VariableSet>> families);
    Choices() = default;

private:
    std::vector<Wide> scores_;
    std::vector<std::size_t> ends_;
    std::vector<int> parents_;
    std::vector<std::size_t> places_;
    /// By variable, where its places begin.
    std::vector<std::size_t> first_with_;
};

/// The families of all variables that have been looked at. Those of one variable grow by themselves, so that threads can
/// share the work and nothing depends on which is the first.
class FamilyBank {
public:
    FamilyBank(std::shared_ptr<FamilyScores> scores, FamilyLimits limits);

    int variables() const { return scores_->variables(); }
    FamilyScores& scores() const { return *scores_; }

    /// Take in what a search for candidate parent sets has found. Where these are all there are, no others are looked for.
    void take_in(const CandidateSearch& found);
    bool complete() const { return complete_; }
    /// Take in the families that lead from the smallest one to this one, and those around them.
    void extend_up_to(int child, const VariableSet& parents);
    /// Level by level, extend the best families of a variable with so many parents; until a level brings nothing better.
    void grow(int child, std::size_t width);
    /// Extend the best families of a variable whose parents are among those marked; whether one of them was new.
    bool grow_within(int child, std::span<const int> place, std::size_t width);

    /// What may be chosen for a variable, from all that has been taken in so far.
    Choices choices(int child) const;
    const VariableSet& smallest(int child) const { return limits_.required[child]; }

private:
    struct Known {
        Wide score;
        bool extended = false;
    };
    using Families = std::unordered_map<VariableSet, Known, VariableSet::Hash>;
    using Listed = std::vector<std::pair<Wide, VariableSet>>;

    /// Take in a family, those with a parent less, and those with one more that are worth more; all with one more.
    Listed extend(int child, const VariableSet& parents, Wide score);
    /// By decreasing score, of equals first the smaller and then by numbers of the parents.
    static bool comes_before(const Listed::value_type& a, const Listed::value_type& b);
    bool may_have(int child, int u) const { return limits_.allowed.empty() || limits_.allowed(child, u); }

    std::shared_ptr<FamilyScores> scores_;
    FamilyLimits limits_;
    std::vector<Families> known_;
    bool complete_ = false;
};

}  // namespace stablebn
