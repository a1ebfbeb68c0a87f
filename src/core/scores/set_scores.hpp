// Scores that are differences of one function of sets, less a penalty for each parameter, which are differences too.
#pragma once

#include <functional>
#include <mutex>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "scores/family_scores.hpp"

namespace stablebn {

/// Values of a function of sets, each worked out once; NOT_A_CANDIDATE of sets that have none. All supersets of such a set
/// have none either.
class SetValues {
public:
    Fixed get(const VariableSet& set, const std::function<Fixed()>& work_out);

    /// The values of base + u, for every u of some variables; those that are not known are worked out all at once, by one
    /// thread for all that want them.
    std::vector<Fixed> extensions(const VariableSet& base, int variables, Pool& pool,
                                  const std::function<void(std::span<const int>, std::span<Fixed>)>& work_out);

private:
    std::mutex mutex_;
    std::unordered_map<VariableSet, Fixed, VariableSet::Hash> known_;
    /// The bases whose extensions some thread works out now: another that wants them waits, and helps.
    std::unordered_set<VariableSet, VariableSet::Hash> under_way_;
};

/// Scores of families that are g(S + v) - g(S) - unit * (p(S + v) - p(S)).
///
/// The gain of an arc, (g(S+u+v) + g(S)) - (g(S+u) + g(S+v)), is symmetric in u and v by its very form.
class SetScores : public FamilyScores {
public:
    /// Of so many rows.
    SetScores(int variables, Fixed unit, std::int64_t rows)
        : FamilyScores(variables, variables), unit_(unit), largest_penalty_(largest_penalty(rows)) {}

    /// NOT_A_CANDIDATE where the family may not be.
    Fixed term(int child, const VariableSet& parents) override;

protected:
    /// g; NOT_A_CANDIDATE where a set, and with it every larger one, has no value.
    virtual Fixed value(const VariableSet& set) = 0;
    /// The same of base + u, for every u; of members of the base they mean nothing.
    virtual std::vector<Fixed> extended(const VariableSet& base) = 0;
    /// p; a double, as there may be very many.
    virtual double parameters(const VariableSet& set) const = 0;

    std::vector<Fixed> work_out(int child, const VariableSet& parents) override;
    Fixed unit() const { return unit_; }

private:
    /// Minus the penalty of a family; NOT_A_CANDIDATE where it does not fit.
    Fixed offset(int child, const VariableSet& parents) const;

    Fixed unit_;
    double largest_penalty_;
};

}  // namespace stablebn
