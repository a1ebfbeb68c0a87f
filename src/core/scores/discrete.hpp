// Scores of categorical data: penalised log-likelihoods and Dirichlet marginal likelihoods (specification, section 2).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "counting/all_sets.hpp"
#include "counting/counts.hpp"
#include "scores/family_scores.hpp"
#include "scores/likelihood_bounds.hpp"
#include "scores/regret.hpp"

namespace stablebn {

/// A function g of sets of variables, the sum of a function of their joint counts; scores are differences of it.
///
/// The log-likelihood of v given S is g(S + v) - g(S), so one cache keyed by the set serves every child, order and
/// search. The gain of an arc, (g(S+u+v) + g(S)) - (g(S+u) + g(S+v)), is symmetric in u and v by its form: in integers,
/// u -> v and v -> u with equal parents tie exactly.
class SetFunction {
public:
    /// Maps the joint counts of a set and its number of configurations to the value.
    using OfCounts = std::function<Fixed(std::span<const std::int64_t>, double)>;

    SetFunction(Counts& counts, OfCounts of_counts) : counts_(counts), of_counts_(std::move(of_counts)) {}

    Fixed operator()(const VariableSet& set);
    /// The values of base + u, for every u; undefined for members of the base.
    std::vector<Fixed> extensions(const VariableSet& base);
    std::vector<Fixed> extensions(const VariableSet& base, std::span<const int> candidates);

private:
    Counts& counts_;
    OfCounts of_counts_;
    std::mutex mutex_;
    std::unordered_map<VariableSet, Fixed, VariableSet::Hash> known_;
};

/// Scores that are computed from the joint table of a family, unless it is too large.
class CategoricalScores : public FamilyScores {
public:
    explicit CategoricalScores(std::shared_ptr<Counts> counts)
        : FamilyScores(counts->variables(), counts->variables()), counts_(std::move(counts)) {}

    Pool& pool() const override { return counts_->pool(); }
    double cost_of_family() const override;

protected:
    /// Computes gains with bits of the configurations that occur, for all children of a set at once. `Scores` sums
    /// terms over the counts of joint configurations (`terms_of_cells`) and of parent configurations
    /// (`terms_of_margins`), and combines them (`gain`).
    template <class Scores>
    class GainsByBits;

    std::vector<Fixed> work_out_additions(int child, const VariableSet& parents, std::span<const int> more) override;
    std::vector<Fixed> work_out(int child, const VariableSet& parents) override;

    /// Nanoseconds per cell of a sum.
    virtual double cost_of_cell() const = 0;
    /// Whether the changes of a family may be computed from a table.
    virtual bool suits_table(int, const VariableSet&) const { return true; }
    /// The score of a child, given the joint cells of child and parents, and the stride of the child's levels.
    virtual Fixed of_cells(std::span<const std::int64_t> cells, int child_levels, std::size_t stride) const = 0;
    /// Same for joint cells with one more variable, the slowest; the cells of each of its levels are contiguous.
    virtual Fixed of_extended(const JointTable& table, int u, int child_levels, std::size_t stride) const = 0;
    /// Minus the penalty of a child with this many levels and possible parent configurations; NOT_A_CANDIDATE if it
    /// does not fit.
    virtual Fixed offset(double configurations, int levels) const = 0;
    /// Terms of a child with the parents and u, for each u in `more`; undefined for other u.
    virtual std::vector<Fixed> extended(int child, const VariableSet& parents, std::span<const int> more) = 0;

    /// The product of the numbers of levels; a double, because it may be very large.
    double configurations(const VariableSet& set) const;
    /// Call `use(counts of pairs of levels, u, v)` for all variables u <= v, on several threads.
    template <class Use>
    void share_pairs(double cost, const Use& use);

    Counts& counts() const { return *counts_; }
    const std::shared_ptr<Counts>& shared_counts() const { return counts_; }

private:
    std::vector<Fixed> read_off(const JointTable& table, int child, const VariableSet& parents);
    std::vector<Fixed> from_terms(int child, const VariableSet& parents);

    std::shared_ptr<Counts> counts_;
};

/// Log-likelihood less a penalty that depends only on numbers of levels: H(S + v) - H(S) - penalty.
class LikelihoodScores : public CategoricalScores {
public:
    explicit LikelihoodScores(std::shared_ptr<Counts> counts);

    Fixed term(int child, const VariableSet& parents) override;
    std::unique_ptr<Gains> gains() override;
    double cost_of_all_sets(int most_parents) override;
    double cost_of_set() const override { return 300 + 0.4 * static_cast<double>(counts().total()); }
    void know_all_sets(int most_parents) override;

protected:
    std::optional<Wide> bound_with_more(int child, const VariableSet& parents) override;
    void work_out_first(std::span<Fixed> terms, MatrixView<Fixed> changes) override;
    double cost_of_cell() const override { return 1.0; }
    bool suits_table(int child, const VariableSet& parents) const override;
    Fixed of_cells(std::span<const std::int64_t> cells, int child_levels, std::size_t stride) const override;
    Fixed of_extended(const JointTable& table, int u, int child_levels, std::size_t stride) const override;
    std::vector<Fixed> extended(int child, const VariableSet& parents, std::span<const int> more) override;

    /// Whether a family of these sizes has an offset. If not, no family with more configurations has one.
    virtual bool fits(double configurations, int levels) const = 0;
    /// How much larger the penalty is than without parents; very large if it does not fit. Increases with the
    /// configurations and is symmetric in its arguments.
    virtual Wide added_penalty(double configurations, int levels) const = 0;
    const LikelihoodBounds& bounds();

private:
    friend class GainsByBits<LikelihoodScores>;
    class GainsBySets;

    const LogTable* terms_of_cells(double) const { return &counts().m_ln_m(); }
    const LogTable* terms_of_margins(double, int) const { return &counts().m_ln_m(); }

    /// The variable sets of families of at most `most_parents` parents whose penalty does not exceed the possible gain;
    /// null if these are too many.
    std::unique_ptr<AllSets> sets_worth_it(int most_parents);
    Wide gain(int child, const VariableSet& set, int u, Fixed likelihood);

    std::unique_ptr<AllSets> all_sets_;
    double most_levels_ = 0, fewest_levels_ = 0;
    SetFunction entropy_;
    std::once_flag bound_once_;
    LikelihoodBounds bounds_;
};

/// A penalty per free parameter: unit * (r_v - 1) * prod r_s.
class PenalisedLikelihood final : public LikelihoodScores {
public:
    PenalisedLikelihood(std::shared_ptr<Counts> counts, Fixed unit);

protected:
    std::optional<Wide> bound_added(int child, const VariableSet& parents, Wide gain, int more) override;
    std::shared_ptr<FamilyScores> renumbered(std::span<const int> order) override;
    bool fits(double configurations, int levels) const override;
    Fixed offset(double configurations, int levels) const override;
    Wide added_penalty(double configurations, int levels) const override;

private:
    /// The penalty of a number of parameters.
    Wide penalty(double parameters) const;

    Fixed unit_;
};

/// Quotient normalised maximum likelihood (qNML): the penalty is the regret of one categorical distribution over the
/// configurations of S + v less that over the configurations of S. A difference of one set function, so it is score
/// equivalent.
class QuotientLikelihood final : public LikelihoodScores {
public:
    explicit QuotientLikelihood(std::shared_ptr<Counts> counts);

    /// The regret for a number of outcomes, at most 2**53.
    Fixed regret(double outcomes) const;

protected:
    std::shared_ptr<FamilyScores> renumbered(std::span<const int> order) override;
    bool fits(double configurations, int levels) const override;
    Fixed offset(double configurations, int levels) const override;
    Wide added_penalty(double configurations, int levels) const override;

private:
    std::shared_ptr<Regrets> regrets_;
};

/// How the prior counts of a Dirichlet score are distributed.
enum class Prior {
    /// The mass iss, over all cells (BDeu), over the cells of parent configurations that occur (BDs), or 1 per cell
    /// (K2).
    evenly,
    sparsely,
    by_one,
};

/// Marginal likelihoods under Dirichlet priors.
class DirichletScores final : public CategoricalScores {
public:
    DirichletScores(std::shared_ptr<Counts> counts, Prior prior, double iss);

    Fixed term(int child, const VariableSet& parents) override;
    std::unique_ptr<Gains> gains() override;

protected:
    std::optional<Wide> bound_with_more(int child, const VariableSet& parents) override;
    std::optional<Wide> least_bound_with_more(int child, const VariableSet& parents) override;
    std::shared_ptr<FamilyScores> renumbered(std::span<const int> order) override;
    void work_out_first(std::span<Fixed> terms, MatrixView<Fixed> changes) override;
    double cost_of_cell() const override { return 3.0; }
    Fixed of_cells(std::span<const std::int64_t> cells, int child_levels, std::size_t stride) const override;
    Fixed of_extended(const JointTable& table, int u, int child_levels, std::size_t stride) const override;
    Fixed offset(double, int) const override { return {}; }
    std::vector<Fixed> extended(int child, const VariableSet& parents, std::span<const int> more) override;

private:
    friend class GainsByBits<DirichletScores>;

    std::shared_ptr<const RisingTable> terms_of_cells(double configurations) const;
    std::shared_ptr<const RisingTable> terms_of_margins(double configurations, int child_levels) const;
    Wide gain(int child, const VariableSet& set, int u, Fixed term);
    /// An upper bound of the gain of a child with a family of at least this many cells that occur.
    Wide bound_of_cells(int child, Wide cells);

    /// The set function for child and parents, or for parents alone; not for the sparse prior, which depends on which
    /// variable is the child.
    SetFunction& function_with_prior(int count);
    SetFunction& joint_function();
    SetFunction& parent_function(int child);

    template <class Count>
    Fixed sum(std::span<const Count> cells, int child_levels, std::size_t stride) const;

    Prior prior_;
    double iss_;
    std::shared_ptr<RisingTables> tables_;
    std::mutex mutex_;
    std::map<int, SetFunction> functions_;
};

}  // namespace stablebn
