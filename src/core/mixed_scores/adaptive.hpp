// The adaptive score of mixed data: the best of several models for each family (docs/reference/scores.md).
//
// A continuous child has one linear regression per configuration of its categorical parents, with separate residual
// variances or a common one, or one regression on their indicators and the continuous parents together. A categorical
// child has a table if all parents are categorical, or a multinomial logistic regression. Each model pays for its own
// free parameters.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "mixed_scores/conditional_gaussian.hpp"
#include "mixed_scores/degenerate_gaussian.hpp"
#include "scores/family_scores.hpp"
#include "mixed_scores/logistic.hpp"

namespace stablebn {

class AdaptiveScores final : public FamilyScores {
public:
    /// `additive`: degenerate Gaussian scores of the same variables without a penalty.
    AdaptiveScores(std::shared_ptr<ConditionalGaussian> function, std::shared_ptr<FamilyScores> additive,
                   std::shared_ptr<const LogisticRegression> logistic, std::vector<int> blocks, Fixed unit);

    Pool& pool() const override { return function_->pool(); }
    double cost_of_family() const override;

    /// The score of a family without the penalty of the child's own parameters; NOT_A_CANDIDATE if no model has a
    /// penalty that fits.
    Fixed term(int child, const VariableSet& parents) override;

protected:
    std::shared_ptr<FamilyScores> renumbered(std::span<const int> order) override;
    std::vector<Fixed> work_out(int child, const VariableSet& parents) override;
    std::vector<Fixed> work_out_additions(int child, const VariableSet& parents, std::span<const int> more) override;
    void work_out_first(std::span<Fixed> terms, MatrixView<Fixed> changes) override;

private:
    struct Key {
        int child;
        VariableSet parents;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct HashOfKey {
        std::size_t operator()(const Key& key) const {
            return VariableSet::Hash{}(key.parents) * 31 + static_cast<std::size_t>(key.child);
        }
    };

    std::optional<Fixed> known(int child, const VariableSet& parents);
    /// The log-likelihood of a categorical child with a table; NOT_A_CANDIDATE if a parent is continuous.
    Fixed table(int child, const VariableSet& parents);
    /// The log-likelihood of a continuous child with one regression and one variance per configuration of the
    /// categorical parents; NOT_A_CANDIDATE if a configuration has too few rows.
    Fixed with_own_variances(int child, const VariableSet& parents);
    /// The term of a family, given the log-likelihood with a table.
    Fixed work_out_term(int child, const VariableSet& parents, Fixed table);
    double cost_of_term() const;
    /// The gain in log-likelihood of a logistic regression over no parents; nothing if the parents cannot be worth a
    /// fit.
    std::optional<Fixed> logistic_gain(int child, const VariableSet& parents);
    /// Whether every parent would pay for its parameters if all columns were Gaussian.
    bool is_worth_a_fit(int child, const VariableSet& parents);
    bool are_categorical(const VariableSet& variables) const;
    /// Number of columns of a variable in a regression.
    double width(int v) const;
    /// A log-likelihood less the penalty of free parameters; NOT_A_CANDIDATE if the penalty does not fit.
    Fixed penalised(Fixed likelihood, double parameters) const;
    Regressor regressor(int v) const { return {function_->is_categorical(v), index(v), blocks_[v]}; }
    /// The index of a variable among the columns of its kind.
    int index(int v) const;

    std::shared_ptr<ConditionalGaussian> function_;
    std::shared_ptr<FamilyScores> additive_;
    std::shared_ptr<const LogisticRegression> logistic_;
    /// Variable v is block blocks[v] of the covariances.
    std::vector<int> blocks_;
    Fixed unit_;
    double largest_penalty_;
    std::mutex mutex_;
    std::unordered_map<Key, Fixed, HashOfKey> terms_;
};

}  // namespace stablebn
