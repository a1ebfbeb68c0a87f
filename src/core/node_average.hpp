// Penalised node-average likelihoods: scores of tables with holes, of which no row is left out (Balov 2013; Bodewes and
// Scutari 2021).
//
// A family is scored on the rows in which all its members are known: N times the mean log-likelihood of these, less the
// usual penalty of N rows. Two families have the same rows or not: the score is no difference of one set function, and
// u->v and v->u tie only where the rows of u, of v and of both, with the parents they share, are the same.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "counts.hpp"
#include "families.hpp"
#include "variable_set.hpp"

namespace stablebn {

/// What all scores of tables with holes can tell.
class NodeAverageScores : public FamilyScores {
public:
    using FamilyScores::FamilyScores;

    /// The rows, by weight, in which all of some variables are known.
    virtual std::int64_t complete_rows(const VariableSet& family) const = 0;
    /// Whether a family has a score: there are enough rows in which it is complete.
    virtual bool is_scored(int child, const VariableSet& parents) = 0;
};

/// The same of categorical tables, whose holes are one more level.
class NodeAverageLikelihood final : public NodeAverageScores {
public:
    NodeAverageLikelihood(std::shared_ptr<Counts> counts, Fixed unit);

    Pool& pool() const override { return counts_->pool(); }
    double cost_of_family() const override;
    Fixed term(int child, const VariableSet& parents) override;
    std::shared_ptr<FamilyScores> reordered(std::span<const int> order) override;
    std::int64_t complete_rows(const VariableSet& family) const override;
    bool is_scored(int child, const VariableSet& parents) override;

protected:
    std::vector<Fixed> work_out(int child, const VariableSet& parents) override;

private:
    /// Of the rows in which a family is complete: how many, and the sums of m ln m over the cells of the family and
    /// over those of the parents.
    struct Parts {
        std::int64_t rows = 0;
        Fixed joint, margin;
    };

    template <class Count>
    void add_cells(const Count* cells, std::span<const std::uint32_t> columns, int child_values, Parts& parts) const;
    Parts by_rows(int child, const VariableSet& parents) const;
    std::vector<Fixed> read_off(const JointTable& table, int child, const VariableSet& parents) const;
    std::vector<Fixed> from_rows(int child, const VariableSet& parents) const;
    /// The columns of a joint table in which no member is a hole, those of a configuration of the parents together.
    std::vector<std::uint32_t> complete_columns(const VariableSet& members, int child) const;
    double free_parameters(int child, const VariableSet& parents) const;
    Fixed average(const Parts& parts) const;
    /// Average and penalty; NOT_A_CANDIDATE without a row, or with a penalty that does not fit.
    Fixed score(const Parts& parts, double free) const;

    std::shared_ptr<Counts> counts_;
    Fixed unit_;
};

}  // namespace stablebn
