// Penalised node-average likelihoods: scores of tables with missing values that use all rows (Balov 2013; Bodewes and
// Scutari 2021).
//
// Two families are known in different rows, and means over different rows differ by chance by far more than BIC allows
// for. So such means are not compared: the gain of a parent is measured with and without it on the same rows. The sum
// over the parents depends on their order, which is decided by their gains: a score of the family alone, whatever path
// a search takes to it. It is not a difference of one set function, so DAGs of one Markov equivalence class differ if a
// variable has two parents or more.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "counting/counts.hpp"
#include "scores/family_scores.hpp"
#include "table/variable_set.hpp"

namespace stablebn {

/// Common part of all scores with missing values. The parents of a variable are added one after another, the one with
/// the greatest gain first, each on the rows in which it, the variable and the parents before it are known. A gain is N
/// times its mean over these rows; the penalty of its parameters grows by the same factor as the rows decrease.
class NodeAverageScores : public FamilyScores {
public:
    /// The gain of a parent given those before it.
    struct Step {
        int parent = -1;
        /// Number of rows, by weight, in which all of them are known.
        std::int64_t rows = 0;
        /// Without the penalty; NOT_A_CANDIDATE if these rows are too few.
        Fixed gain = NOT_A_CANDIDATE;
    };

    /// `unit` is the penalty of a free parameter for `total` rows.
    NodeAverageScores(int variables, int most_parents, std::int64_t total, Fixed unit)
        : FamilyScores(variables, most_parents), total_(total), unit_(unit) {}

    Fixed term(int child, const VariableSet& parents) final;
    /// The parents in the order in which they are added; without those for which no rows are left.
    std::vector<Step> steps(int child, const VariableSet& parents);
    /// Whether a family has a score: there are enough rows in which it is complete.
    bool is_scored(int child, const VariableSet& parents);
    /// Number of rows, by weight, in which all of some variables are known.
    virtual std::int64_t complete_rows(const VariableSet& family) const = 0;
    /// Number of gains of single parents computed so far, which tests use as a measure of work.
    std::int64_t gains_made() const { return gains_made_; }

protected:
    /// N times the mean log-likelihood of a variable without parents.
    virtual Fixed alone(int child) = 0;
    /// The gain of each candidate as one more parent.
    virtual std::vector<Step> gains(int child, const VariableSet& given, std::span<const int> candidates) = 0;
    virtual double free_parameters(int child, const VariableSet& parents) const = 0;
    std::vector<Fixed> work_out(int child, const VariableSet& parents) final;

    /// The ordinary scores, over all rows, of families without missing values; the gains of their parents sum to these.
    struct CompleteScores {
        std::shared_ptr<FamilyScores> scores;
        /// The number of each variable in these scores; -1 if it has missing values.
        std::vector<int> number;

        bool has(int v) const { return number[v] >= 0; }
        bool has(int child, const VariableSet& parents) const {
            return has(child) && std::ranges::all_of(parents, [this](int u) { return has(u); });
        }
        VariableSet numbers(const VariableSet& set) const;
    };
    /// Called once.
    virtual CompleteScores make_complete_scores() = 0;

    std::int64_t total() const { return total_; }
    Fixed unit() const { return unit_; }

private:
    /// Some parents that have been added: their gains less their penalties.
    struct Weighed {
        VariableSet parents;
        Fixed sum;
        double penalty = 0;
    };
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
    /// By variable; the parent -1 if the gain of a variable is unknown.
    using Gains = std::shared_ptr<const std::vector<Step>>;

    /// Cached gains, including those of the candidates.
    Gains gains_of(int child, const VariableSet& given, std::span<const int> candidates);
    std::vector<Step> make_gains(int child, const VariableSet& given, std::span<const int> candidates);
    const CompleteScores& complete_scores();
    Weighed with(int child, Weighed weighed, const Step& step) const;
    Fixed finish(int child, Weighed weighed, std::vector<int> left);

    std::int64_t total_;
    Fixed unit_;
    std::atomic<std::int64_t> gains_made_ = 0;
    std::once_flag complete_once_;
    CompleteScores complete_;
    std::mutex mutex_;
    std::unordered_map<Key, Gains, HashOfKey> gains_;
};

/// value * total / rows, rounded.
Fixed scaled_up(Fixed value, std::int64_t total, std::int64_t rows);

/// Node-average likelihood of categorical tables; missing values are one more level.
class NodeAverageLikelihood final : public NodeAverageScores {
public:
    NodeAverageLikelihood(std::shared_ptr<Counts> counts, Fixed unit);

    Pool& pool() const override { return counts_->pool(); }
    double cost_of_family() const override;
    std::int64_t complete_rows(const VariableSet& family) const override;

protected:
    std::shared_ptr<FamilyScores> renumbered(std::span<const int> order) override;
    Fixed alone(int child) override;
    std::vector<Step> gains(int child, const VariableSet& given, std::span<const int> candidates) override;
    double free_parameters(int child, const VariableSet& parents) const override;
    CompleteScores make_complete_scores() override;

private:
    /// Sums of m ln m over cells, and the number of rows, for the rows in which a family and a candidate are complete.
    struct Parts {
        std::int64_t rows = 0;
        /// Sums for the given parents, for these with the child, with the candidate, and with both.
        Fixed given, with_child, with_candidate, with_both;
    };

    Parts read_off(const JointTable& table, std::span<const std::uint32_t> columns, int child, int candidate) const;
    Parts by_rows(int child, const VariableSet& given, int candidate) const;
    /// The columns of a joint table in which no member is missing, grouped by configuration of the parents.
    std::vector<std::uint32_t> complete_columns(const VariableSet& members, int child) const;
    /// Each sum is rounded once and separately, so families on the same rows tie as they do without missing values.
    Step step(int candidate, const Parts& parts) const;

    std::shared_ptr<Counts> counts_;
};

}  // namespace stablebn
