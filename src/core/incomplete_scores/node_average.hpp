// Penalised node-average likelihoods: scores of tables with holes, of which no row is left out (Balov 2013; Bodewes and
// Scutari 2021).
//
// Two families are known in different rows, and means over different rows differ by chance, far more than BIC allows for.
// So no such means are compared: what a parent gains is measured with and without it on the same rows. The sum over the
// parents depends on which is weighed first, and that is decided by what they gain: a score of the family alone, whatever
// way a search takes to it. It is no difference of one set function: DAGs of one class differ where there are two parents
// or more.
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

/// What all scores of tables with holes share. The parents of a variable are weighed one after another, the one that gains
/// most first, each on the rows in which it, the variable and the parents before it are known; a gain is N times its mean
/// over these rows, and its parameters cost as many times more as there are rows fewer.
class NodeAverageScores : public FamilyScores {
public:
    /// What a parent gains besides those before it.
    struct Step {
        int parent = -1;
        /// By weight, in which all of them are known.
        std::int64_t rows = 0;
        /// Without the penalty; NOT_A_CANDIDATE where these rows are too few.
        Fixed gain = NOT_A_CANDIDATE;
    };

    /// `unit` is the penalty of a free parameter in `total` rows.
    NodeAverageScores(int variables, int most_parents, std::int64_t total, Fixed unit)
        : FamilyScores(variables, most_parents), total_(total), unit_(unit) {}

    Fixed term(int child, const VariableSet& parents) final;
    /// The parents in the order in which they are weighed; those that no rows are left for are not among them.
    std::vector<Step> steps(int child, const VariableSet& parents);
    /// Whether a family has a score: there are enough rows in which it is complete.
    bool is_scored(int child, const VariableSet& parents);
    /// The rows, by weight, in which all of some variables are known.
    virtual std::int64_t complete_rows(const VariableSet& family) const = 0;
    /// How many gains of single parents were worked out so far: a measure of work for tests.
    std::int64_t gains_made() const { return gains_made_; }

protected:
    /// N times the mean log-likelihood of a variable without parents.
    virtual Fixed alone(int child) = 0;
    /// What each candidate gains as one more parent.
    virtual std::vector<Step> gains(int child, const VariableSet& given, std::span<const int> candidates) = 0;
    virtual double free_parameters(int child, const VariableSet& parents) const = 0;
    std::vector<Fixed> work_out(int child, const VariableSet& parents) final;

    /// The usual scores, over all rows, of families without missing values: the gains of their parents add up to these.
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
    /// Some parents that have been weighed: their gains less their penalties.
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
    /// By variable; a variable of which nothing is known yet has the parent -1.
    using Gains = std::shared_ptr<const std::vector<Step>>;

    /// Gains that are kept, those of the candidates among them.
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

/// So many times a value that is to hold for `total` rows instead of `rows`, rounded.
Fixed scaled_up(Fixed value, std::int64_t total, std::int64_t rows);

/// The same of categorical tables, whose holes are one more level.
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
    /// Of the rows in which a family and a candidate are complete: how many, and the sums of m ln m over their cells.
    struct Parts {
        std::int64_t rows = 0;
        /// Of the parents given, of these with the child, with the candidate, and with both.
        Fixed given, with_child, with_candidate, with_both;
    };

    Parts read_off(const JointTable& table, std::span<const std::uint32_t> columns, int child, int candidate) const;
    Parts by_rows(int child, const VariableSet& given, int candidate) const;
    /// The columns of a joint table in which no member is a hole, those of a configuration of the parents together.
    std::vector<std::uint32_t> complete_columns(const VariableSet& members, int child) const;
    /// Each sum is rounded once, and alone: so families of the same rows tie as they do without holes.
    Step step(int candidate, const Parts& parts) const;

    std::shared_ptr<Counts> counts_;
};

}  // namespace stablebn
