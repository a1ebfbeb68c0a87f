// Mixed tables with missing values: the conditional Gaussian log-likelihood over the rows in which some variables are
// known.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "mixed_scores/conditional_gaussian.hpp"
#include "incomplete_scores/node_average.hpp"
#include "numeric/int128.hpp"

namespace stablebn {

class AvailableMixed {
    struct Tables;

public:
    /// Stands for a missing value of a continuous column.
    static constexpr std::int64_t HOLE = std::numeric_limits<std::int64_t>::min();

    /// As in `Strata` and `ConditionalGaussian`; missing values of categorical variables are one more level in the
    /// counts.
    AvailableMixed(std::shared_ptr<Counts> counts, std::vector<std::span<const std::int64_t>> columns, int bits,
                   std::vector<double> floors, std::vector<int> order, std::shared_ptr<const void> owner,
                   std::shared_ptr<Tables> tables = nullptr);

    std::shared_ptr<AvailableMixed> reordered(std::span<const int> order) const;

    int variables() const { return static_cast<int>(order_.size()); }
    std::int64_t total() const { return counts_->total(); }
    std::size_t stored_rows() const { return counts_->rows().count; }
    Pool& pool() const { return counts_->pool(); }

    /// Whether a variable has no missing values.
    bool is_complete(int v) const { return tables_->is_complete[order_[v]]; }

    /// The log-likelihood of sets of some variables, over the rows in which these are known.
    struct Known {
        /// Number of rows, by weight.
        std::int64_t rows = 0;
        /// Null without rows.
        std::shared_ptr<ConditionalGaussian> function;
        /// The variables of the function, ascending; they are numbered 0, 1, ... there.
        std::vector<int> variables;

        int place(int v) const { return static_cast<int>(std::ranges::lower_bound(variables, v) - variables.begin()); }
        VariableSet places(const VariableSet& set) const;
    };
    Known among(const VariableSet& variables) const;
    /// Same for the rows without missing values in some variables, if a function of these rows and all variables that
    /// are complete in them is cached. `columns` is the number of columns that would be copied otherwise.
    std::optional<Known> kept(const VariableSet& incomplete, std::size_t columns) const;
    std::int64_t complete_rows(std::span<const int> variables) const;
    /// Number of columns copied so far for rows without missing values, which tests use as a measure of work.
    std::size_t columns_copied() const { return tables_->columns_copied; }

    /// Call a function with groups of candidates y (by index) that are known in the same rows together with x and the
    /// given variables, and with the log-likelihood over these rows; on several threads.
    using Use = std::function<void(const Known&, std::span<const std::size_t> places)>;
    void extend(int x, const VariableSet& given, std::span<const int> candidates, const Use& use) const;

    /// The information of x and each candidate about each other given some variables, as `ConditionalGaussian::gains`.
    std::vector<Fixed> gains(int x, const VariableSet& given, std::span<const int> candidates) const;

    /// Number of free parameters, as `ConditionalGaussian::parameters`.
    double parameters(const VariableSet& set) const;

private:
    /// Some columns, ascending, in the rows in which they are known.
    struct Subtable {
        std::int64_t rows = 0;
        std::vector<int> columns;
        /// Null without rows.
        std::shared_ptr<Strata> strata;
    };
    /// Data that do not depend on the numbering of the variables.
    struct Tables {
        /// By column; categorical columns come first.
        std::vector<bool> is_complete;
        std::mutex mutex;
        /// By the columns with missing values, the rows without them: a table of all columns that are complete there,
        /// and the number of columns copied before it was made.
        struct Entry {
            std::size_t copied = 0;
            std::shared_ptr<const Subtable> table;
        };
        std::unordered_map<VariableSet, Entry, VariableSet::Hash> known;
        /// Of all tables.
        std::size_t bytes = 0;
        std::atomic<std::size_t> columns_copied = 0;
    };

    bool is_categorical(int v) const { return order_[v] < counts_->variables(); }
    bool is_categorical_column(int column) const { return column < counts_->variables(); }
    std::span<const std::int64_t> values(int column) const { return columns_[column - counts_->variables()]; }
    VariableSet columns_of(std::span<const int> variables) const;
    VariableSet incomplete(const VariableSet& variables) const;
    /// The rows in which some columns are known.
    std::vector<std::int32_t> complete(const VariableSet& columns) const;
    Subtable whole(std::vector<int> columns) const;
    /// `most_bytes` limits the memory of its caches besides the copy.
    Subtable copied(std::vector<int> columns, const VariableSet& incomplete, std::size_t most_bytes) const;
    std::shared_ptr<const Subtable> kept_table(const VariableSet& incomplete, std::size_t columns) const;
    Known numbered(const Subtable& table, std::vector<int> variables) const;

    std::shared_ptr<Counts> counts_;
    std::vector<std::span<const std::int64_t>> columns_;
    int bits_;
    std::vector<double> floors_;
    std::vector<int> order_;
    std::shared_ptr<const void> owner_;
    std::shared_ptr<Tables> tables_;
    /// By the columns with missing values, in this numbering.
    mutable std::mutex mutex_;
    mutable std::unordered_map<VariableSet, Known, VariableSet::Hash> known_;
};

/// N times the mean of that log-likelihood, less a penalty per free parameter.
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
    CompleteScores make_complete_scores() override;

private:
    std::shared_ptr<AvailableMixed> table_;
};

}  // namespace stablebn
