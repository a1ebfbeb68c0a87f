// Mixed tables with holes: the conditional Gaussian log-likelihood over the rows in which some variables are known.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "conditional_gaussian.hpp"
#include "node_average.hpp"
#include "wide.hpp"

namespace stablebn {

class AvailableMixed {
public:
    /// In place of a value of a continuous column that is not known.
    static constexpr std::int64_t HOLE = std::numeric_limits<std::int64_t>::min();

    /// As those of `Strata` and `ConditionalGaussian`; the holes of categorical variables are one more level in the counts.
    AvailableMixed(std::shared_ptr<Counts> counts, std::vector<std::span<const std::int64_t>> columns, int bits,
                   std::vector<double> floors, std::vector<int> order, std::shared_ptr<const void> owner);

    std::shared_ptr<AvailableMixed> reordered(std::span<const int> order) const;

    int variables() const { return static_cast<int>(order_.size()); }
    std::int64_t total() const { return counts_->total(); }
    std::size_t stored_rows() const { return counts_->rows().count; }
    Pool& pool() const { return counts_->pool(); }

    /// The rows, by weight, in which some variables are known, and the log-likelihood of their sets over these rows: of
    /// the first, second, ... of them as 0, 1, ...; null without a row.
    struct Known {
        std::int64_t rows = 0;
        std::shared_ptr<ConditionalGaussian> function;
    };
    Known among(std::span<const int> variables) const;
    std::int64_t complete_rows(std::span<const int> variables) const;

    /// What x and each candidate say of each other given some variables, as `ConditionalGaussian::gains`.
    std::vector<Fixed> gains(int x, const VariableSet& given, std::span<const int> candidates) const;

    /// Free parameters, as `ConditionalGaussian::parameters`.
    double parameters(const VariableSet& set) const;

private:
    bool is_categorical(int v) const { return order_[v] < counts_->variables(); }
    std::span<const std::int64_t> column(int v) const { return columns_[order_[v] - counts_->variables()]; }
    std::vector<std::int32_t> complete(std::span<const int> variables) const;

    std::shared_ptr<Counts> counts_;
    std::vector<std::span<const std::int64_t>> columns_;
    int bits_;
    std::vector<double> floors_;
    std::vector<int> order_;
    std::shared_ptr<const void> owner_;
};

/// N times the mean of that log-likelihood, less a penalty for each free parameter.
class NodeAverageMixed final : public NodeAverageScores {
public:
    NodeAverageMixed(std::shared_ptr<AvailableMixed> table, Fixed unit)
        : NodeAverageScores(table->variables(), table->variables(), table->total(), unit), table_(std::move(table)) {}

    Pool& pool() const override { return table_->pool(); }
    double cost_of_family() const override;
    std::int64_t complete_rows(const VariableSet& family) const override;

protected:
    std::shared_ptr<FamilyScores> renumbered(std::span<const int> order) override;
    Fixed alone(int child) override;
    std::vector<Step> gains(int child, const VariableSet& given, std::span<const int> candidates) override;
    double free_parameters(int child, const VariableSet& parents) const override;

private:
    std::shared_ptr<AvailableMixed> table_;
};

}  // namespace stablebn
