// Listed families: for every variable those that score more than their subsets, best first.
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

/// Constraints on the families, in canonical numbers.
struct FamilyLimits {
    /// By variable: the required parents; `allowed(v, u)`: whether u may be a parent of v (without rows: always); and
    /// the most parents.
    std::vector<VariableSet> required;
    Matrix<std::uint8_t> allowed;
    std::vector<int> most_parents;
};

/// The families of one variable to choose from, best first; ties by size, smallest first.
class Choices {
public:
    /// Less than any sum of families: the value of a variable for which no family fits.
    static constexpr Wide NOTHING = -(Wide{1} << 115);

    std::size_t size() const { return ends_.size(); }
    /// The score of a family over the smallest family that the variable may have; NOTHING beyond the last.
    Wide score(std::size_t place) const { return place < size() ? scores_[place] : NOTHING; }
    std::span<const int> parents(std::size_t place) const {
        const std::size_t begin = place ? ends_[place - 1] : 0;
        return {parents_.data() + begin, ends_[place] - begin};
    }
    bool contains(std::size_t place, int u) const;
    /// The indices of the families in which u is a parent, ascending.
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
    /// By variable, the start of its indices.
    std::vector<std::size_t> first_with_;
};

/// The listed families of all variables. Those of one variable grow independently, so threads can share the work and
/// the order of threads has no effect.
class FamilyBank {
public:
    FamilyBank(std::shared_ptr<FamilyScores> scores, FamilyLimits limits);

    int variables() const { return scores_->variables(); }
    FamilyScores& scores() const { return *scores_; }

    /// Add the candidates of a search for parent sets. If they are complete, no others are searched for.
    void take_in(const CandidateSearch& found);
    bool complete() const { return complete_; }
    /// Add the families that lead from the smallest one to this one, and their extensions.
    void extend_up_to(int child, const VariableSet& parents);
    /// By number of parents, extend the best `width` families of a variable, until no better ones are found.
    void grow(int child, std::size_t width);
    /// Extend the best families of a variable that are consistent with an order; return whether one of them was new.
    bool grow_within(int child, std::span<const int> place, std::size_t width);

    /// The families of a variable to choose from, from all that were listed so far.
    Choices choices(int child) const;
    const VariableSet& smallest(int child) const { return limits_.required[child]; }

private:
    struct Known {
        Wide score;
        bool extended = false;
    };
    using Families = std::unordered_map<VariableSet, Known, VariableSet::Hash>;
    using Listed = std::vector<std::pair<Wide, VariableSet>>;

    /// Add a family, its subsets with one parent less, and its supersets with one more that score more; return all
    /// supersets.
    Listed extend(int child, const VariableSet& parents, Wide score);
    /// By decreasing score, then by size, then by numbers of the parents.
    static bool comes_before(const Listed::value_type& a, const Listed::value_type& b);
    bool may_have(int child, int u) const { return limits_.allowed.empty() || limits_.allowed(child, u); }

    std::shared_ptr<FamilyScores> scores_;
    FamilyLimits limits_;
    std::vector<Families> known_;
    bool complete_ = false;
};

}  // namespace stablebn
