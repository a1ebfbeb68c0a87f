// Scores that are differences of one set function, less penalties per parameter, which are such differences too.
#pragma once

#include <functional>
#include <mutex>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "scores/family_scores.hpp"

namespace stablebn {

/// Cached values of a set function; NOT_A_CANDIDATE for sets without a value, whose supersets have none either.
class SetValues {
public:
    Fixed get(const VariableSet& set, const std::function<Fixed()>& work_out);

    /// The values of base + u, for every variable u; unknown ones are computed together, by one thread for all that
    /// need them.
    std::vector<Fixed> extensions(const VariableSet& base, int variables, Pool& pool,
                                  const std::function<void(std::span<const int>, std::span<Fixed>)>& work_out);

private:
    std::mutex mutex_;
    std::unordered_map<VariableSet, Fixed, VariableSet::Hash> known_;
    /// The bases whose extensions a thread is computing: other threads that need them wait and help.
    std::unordered_set<VariableSet, VariableSet::Hash> under_way_;
};

/// Family scores g(S + v) - g(S) - unit * (p(S + v) - p(S)).
///
/// The gain of an arc, (g(S+u+v) + g(S)) - (g(S+u) + g(S+v)), is symmetric in u and v by its form.
class SetScores : public FamilyScores {
public:
    /// `rows` is the number of rows.
    SetScores(int variables, Fixed unit, std::int64_t rows)
        : FamilyScores(variables, variables), unit_(unit), largest_penalty_(largest_penalty(rows)) {}

    /// NOT_A_CANDIDATE if the family is not allowed.
    Fixed term(int child, const VariableSet& parents) override;

protected:
    /// g; NOT_A_CANDIDATE if a set, and so every superset, has no value.
    virtual Fixed value(const VariableSet& set) = 0;
    /// g of base + u, for every u; undefined for members of the base.
    virtual std::vector<Fixed> extended(const VariableSet& base) = 0;
    /// p; a double, because it may be very large.
    virtual double parameters(const VariableSet& set) const = 0;

    std::vector<Fixed> work_out(int child, const VariableSet& parents) override;
    Fixed unit() const { return unit_; }

private:
    /// Minus the penalty of a family; NOT_A_CANDIDATE if it does not fit.
    Fixed offset(int child, const VariableSet& parents) const;

    Fixed unit_;
    double largest_penalty_;
};

}  // namespace stablebn
