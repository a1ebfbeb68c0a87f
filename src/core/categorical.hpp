// Scores of categorical data: penalised log-likelihoods and Dirichlet marginal likelihoods (SPEC 2).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "counts.hpp"
#include "families.hpp"
#include "likelihood_bounds.hpp"

namespace stablebn {

/// A function of sets of variables, of which scores are differences: the sum of a function of their joint counts.
///
/// The log-likelihood of v given S is H(S + v) - H(S); so one cache keyed by the set serves every child, every order
/// and every search. And the gain of an arc, (g(S+u+v) + g(S)) - (g(S+u) + g(S+v)), is symmetric in u and v by its very
/// form: in integers, u->v and v->u with equal parents tie exactly.
class SetFunction {
public:
    /// From the joint counts of a set, and the number of its configurations, to the value.
    using OfCounts = std::function<Fixed(std::span<const std::int64_t>, double)>;

    SetFunction(Counts& counts, OfCounts of_counts) : counts_(counts), of_counts_(std::move(of_counts)) {}

    Fixed operator()(const VariableSet& set);
    /// The values of base + u, for every u; of members of the base they mean nothing.
    std::vector<Fixed> extensions(const VariableSet& base);
    std::vector<Fixed> extensions(const VariableSet& base, std::span<const int> candidates);

private:
    Counts& counts_;
    OfCounts of_counts_;
    std::mutex mutex_;
    std::unordered_map<VariableSet, Fixed, VariableSet::Hash> known_;
};

/// Scores that are read off the joint table of a family, where that is not too large.
class CategoricalScores : public FamilyScores {
public:
    explicit CategoricalScores(std::shared_ptr<Counts> counts)
        : FamilyScores(counts->variables(), counts->variables()), counts_(std::move(counts)) {}

    Pool& pool() const override { return counts_->pool(); }
    double cost_of_family() const override;
    std::vector<Fixed> additions(int child, const VariableSet& parents, std::span<const int> more) override;

protected:
    std::vector<Fixed> work_out(int child, const VariableSet& parents) override;

    /// Nanoseconds of a cell in a sum.
    virtual double cost_of_cell() const = 0;
    /// Whether a family's changes may be read off a table.
    virtual bool suits_table(int, const VariableSet&) const { return true; }
    /// The score of a child, given the joint cells of it and its parents and the stride of its levels.
    virtual Fixed of_cells(std::span<const std::int64_t> cells, int child_levels, std::size_t stride) const = 0;
    /// The same of joint cells with one more variable, slowest; its levels' cells stand one after the other.
    virtual Fixed of_extended(const JointTable& table, int u, int child_levels, std::size_t stride) const = 0;
    /// Minus the penalty of so many free parameters; NOT_A_CANDIDATE where it does not fit.
    virtual Fixed offset(double free) const = 0;
    /// Terms of a child with the parents and u, for some u; of all others they mean nothing.
    virtual std::vector<Fixed> extended(int child, const VariableSet& parents, std::span<const int> more) = 0;

    double free_parameters(int child, const VariableSet& parents) const;
    Counts& counts() const { return *counts_; }
    const std::shared_ptr<Counts>& shared_counts() const { return counts_; }

private:
    std::vector<Fixed> read_off(const JointTable& table, int child, const VariableSet& parents);
    std::vector<Fixed> from_terms(int child, const VariableSet& parents);

    std::shared_ptr<Counts> counts_;
};

/// Log-likelihood less a penalty per free parameter: H(S + v) - H(S) - unit * (r_v - 1) * prod r_s.
class PenalisedLikelihood final : public CategoricalScores {
public:
    PenalisedLikelihood(std::shared_ptr<Counts> counts, Fixed unit);

    Fixed term(int child, const VariableSet& parents) override;
    std::unique_ptr<Gains> gains() override;
    std::optional<Wide> most_with_more(int child, const VariableSet& parents) override;
    std::optional<Wide> most_added(int child, const VariableSet& parents, Wide gain, int more) override;
    std::shared_ptr<FamilyScores> reordered(std::span<const int> order) override;

protected:
    void work_out_first(std::span<Fixed> terms, MatrixView<Fixed> changes) override;
    double cost_of_cell() const override { return 1.0; }
    bool suits_table(int child, const VariableSet& parents) const override;
    Fixed of_cells(std::span<const std::int64_t> cells, int child_levels, std::size_t stride) const override;
    Fixed of_extended(const JointTable& table, int u, int child_levels, std::size_t stride) const override;
    Fixed offset(double free) const override;
    std::vector<Fixed> extended(int child, const VariableSet& parents, std::span<const int> more) override;

private:
    class GainsByBits;

    const LikelihoodBounds& bounds();
    /// The penalty of so many parameters.
    Wide penalty(double parameters) const;

    Fixed unit_;
    double most_levels_ = 0, fewest_levels_ = 0;
    SetFunction entropy_;
    std::once_flag bound_once_;
    LikelihoodBounds bounds_;
};

/// How the prior counts of a Dirichlet score are shared out.
enum class Prior {
    /// The mass iss, by all cells (BDeu); by the cells of parent configurations that occur (BDs); or 1 a cell (K2).
    evenly,
    sparsely,
    by_one,
};

/// Marginal likelihoods under Dirichlet priors.
class DirichletScores final : public CategoricalScores {
public:
    DirichletScores(std::shared_ptr<Counts> counts, Prior prior, double iss);

    Fixed term(int child, const VariableSet& parents) override;
    std::optional<Wide> most_with_more(int child, const VariableSet& parents) override;
    std::shared_ptr<FamilyScores> reordered(std::span<const int> order) override;

protected:
    double cost_of_cell() const override { return 20.0; }
    Fixed of_cells(std::span<const std::int64_t> cells, int child_levels, std::size_t stride) const override;
    Fixed of_extended(const JointTable& table, int u, int child_levels, std::size_t stride) const override;
    Fixed offset(double) const override { return {}; }
    std::vector<Fixed> extended(int child, const VariableSet& parents, std::span<const int> more) override;

private:
    /// The function of child and parents together, or of the parents of a child; not of the sparse prior, which
    /// depends on which of its variables is the child.
    SetFunction& function_with_prior(int count);
    SetFunction& joint_function();
    SetFunction& parent_function(int child);

    Prior prior_;
    double iss_;
    std::mutex mutex_;
    std::map<int, SetFunction> functions_;
};

}  // namespace stablebn
