// The log-likelihood of mixed data: of the configurations of the categorical variables and, in each of them, of one
// Gaussian of the continuous variables with its own mean and covariance (Lauritzen and Wermuth 1989).
//
// For standardised columns, and up to a constant that is the same for every graph, that of categorical D and continuous
// X is
//
//     g(D, X) = sum over configurations d that occur of f(n_d) - n_d / 2 ln det C_d,    f(m) = m ln m,
//
// C_d the covariance of X in the rows of d. Elimination follows the numbers of the variables. Pairs have a formula of
// their own, symmetric to the last bit, so that it can be used before the variables are ordered.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "scores/discrete.hpp"
#include "scores/set_scores.hpp"
#include "counting/strata.hpp"

namespace stablebn {

/// The function g of sets of variables, for one numbering of them.
class ConditionalGaussian {
public:
    /// Variable v is column order[v]: among the columns the categorical ones come first, in the order of the counts,
    /// then the continuous ones.
    ConditionalGaussian(std::shared_ptr<Strata> strata, std::vector<int> order);

    /// The function for renumbered variables: new i is old order[i]. Cached: the same order returns the same object.
    std::shared_ptr<ConditionalGaussian> reordered(std::span<const int> order);

    int variables() const { return static_cast<int>(order_.size()); }
    Pool& pool() const { return strata_->counts().pool(); }
    const Strata& strata() const { return *strata_; }
    std::shared_ptr<const Strata> shared_strata() const { return strata_; }
    bool is_categorical(int v) const { return order_[v] < strata_->counts().variables(); }
    /// The column of a variable; categorical columns come first.
    int column(int v) const { return order_[v]; }

    /// NOT_A_CANDIDATE if a stratum has fewer rows than columns + 2.
    Fixed operator()(const VariableSet& set);
    /// The values of base + u, for every u; undefined for members of the base.
    std::vector<Fixed> extensions(const VariableSet& base);
    /// The values of base + u for every categorical u and a categorical base; undefined for other u.
    std::vector<Fixed> categorical_extensions(const VariableSet& base);
    /// The log-likelihood of a continuous child that has one regression on its continuous parents per configuration of
    /// the categorical parents, and one common residual variance, relative to variance 1 without parents.
    /// NOT_A_CANDIDATE if a configuration has too few rows for a variance.
    Fixed with_common_variance(int child, const VariableSet& parents);
    /// The information of x and each candidate y about each other given S, in nats: (g(S+x+y) + g(S)) - (g(S+x) +
    /// g(S+y)); for two categorical variables given continuous ones the gain of logistic regressions
    /// (`QuadraticLogistic`), which need the rows in memory. NOT_A_CANDIDATE if a configuration has too few rows.
    std::vector<Fixed> gains(int x, const VariableSet& given, std::span<const int> candidates);

    /// q - 1 + q (x + x (x + 1) / 2) parameters, with q the number of possible configurations of D, and x that of X.
    double parameters(const VariableSet& set) const;

private:
    /// A set by columns: categorical ones ascending, continuous ones in the order of the numbers of the variables.
    struct Parts {
        VariableSet categorical;
        std::vector<int> continuous;
    };

    Parts parts_of(const VariableSet& set) const;
    Fixed logistic_gain(int x, int y, const VariableSet& given);
    template <class Use>
    void for_strata(Stratification& strata, std::span<const int> continuous, const Use& use);
    Fixed work_out(const Parts& parts);
    void work_out_extensions(const VariableSet& base, std::span<const int> unknown, std::span<Fixed> values);

    std::shared_ptr<Strata> strata_;
    std::vector<int> order_;
    /// Cached values of sets of categorical variables, by column.
    std::shared_ptr<SetFunction> entropy_;
    SetValues values_;
    std::mutex mutex_;
    std::map<std::vector<int>, std::weak_ptr<ConditionalGaussian>> reordered_;
};

/// Penalised log-likelihoods of mixed data.
class ConditionalGaussianScores final : public SetScores {
public:
    ConditionalGaussianScores(std::shared_ptr<ConditionalGaussian> function, Fixed unit)
        : SetScores(function->variables(), unit, function->strata().counts().total()), function_(std::move(function)) {}

    Pool& pool() const override { return function_->pool(); }
    double cost_of_family() const override;

protected:
    std::shared_ptr<FamilyScores> renumbered(std::span<const int> order) override;
    Fixed value(const VariableSet& set) override { return (*function_)(set); }
    std::vector<Fixed> extended(const VariableSet& base) override { return function_->extensions(base); }
    double parameters(const VariableSet& set) const override { return function_->parameters(set); }

private:
    std::shared_ptr<ConditionalGaussian> function_;
};

}  // namespace stablebn
