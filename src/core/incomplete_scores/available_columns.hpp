// Continuous columns with missing values: correlations over the rows in which some of them are known.
//
// Every value is standardised and converted to fixed point, a function of itself and its column alone. Sums of products
// of such integers do not depend on order, so rows, columns and threads cannot change a bit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "ci_tests/correlation.hpp"
#include "incomplete_scores/node_average.hpp"
#include "runtime/pool.hpp"
#include "runtime/views.hpp"
#include "numeric/int128.hpp"

namespace stablebn {

/// Correlations of some columns over the rows in which all of them are known.
struct Correlations {
    /// Number of rows, by weight.
    std::int64_t rows = 0;
    /// Ones on the diagonal; 0 for a column that does not vary in these rows.
    Matrix<double> entries;
    /// The sum of squared deviations from the mean over rows - 1, relative to the variance of the column; 0 if it does
    /// not vary.
    std::vector<double> variances;
};

class AvailableColumns {
public:
    /// Stands for a missing value.
    static constexpr std::int64_t HOLE = std::numeric_limits<std::int64_t>::min();

    /// `values`: in units of 2**-places, [variables, rows]; `weights`: one per row, or empty.
    AvailableColumns(Matrix<std::int64_t> values, std::vector<std::int64_t> weights, int places, Pool& pool);

    std::shared_ptr<AvailableColumns> reordered(std::span<const int> order) const;
    /// The same columns, with correlations rounded to multiples of 2**-34 and variances to 34 bits, so that differences
    /// from rounding the values disappear.
    std::shared_ptr<AvailableColumns> rounded() const;

    int variables() const { return static_cast<int>(column_.size()); }
    /// Number of rows, by weight.
    std::int64_t total() const { return data_->total; }
    /// Number of stored rows.
    std::size_t stored_rows() const { return data_->values.columns(); }

    bool is_complete(int v) const { return data_->missing[column_[v]].empty(); }
    std::int64_t complete_rows(std::span<const int> variables) const;
    Correlations correlations(std::span<const int> variables) const;
    /// Correlations of all pairs, each over the rows in which both are known, shrunk by one factor as far as it takes to make
    /// the matrix positive definite. They are near those of the complete table; a matrix of them suits searches that propose.
    Matrix<double> correlations_of_pairs(Pool& pool) const;

    /// Call a function with the index of each candidate and the correlations of the variables followed by that
    /// candidate; on several threads.
    void extensions(std::span<const int> variables, std::span<const int> candidates, Pool& pool,
                    const std::function<void(std::size_t, const Correlations&)>& use) const;

private:
    struct Data {
        /// 0 in place of missing values.
        Matrix<std::int64_t> values;
        std::vector<std::int64_t> weights;
        /// The rows in which each column has missing values, ascending.
        std::vector<std::vector<std::int32_t>> missing;
        std::int64_t total = 0;
        int places = 0;
        /// Sums over all rows, of columns and of products of two columns: the lower triangle.
        std::vector<Wide> single;
        Matrix<Wide> products;
    };
    /// Sums over rows, of columns and of products of two columns: the lower triangle.
    struct Sums {
        std::int64_t rows = 0;
        std::vector<Wide> single;
        Matrix<Wide> products;
    };
    /// The rows to visit for sums over the rows in which some columns are known (these, or the others if they are
    /// fewer), with the values of the columns there, also times the weights.
    struct Gathered {
        bool are_lost = false;
        std::vector<std::int32_t> lost, rows;
        Matrix<std::int64_t> values, weighed;

        std::span<const std::int64_t> times_weight(std::size_t at) const {
            return weighed.rows() ? weighed[at] : values[at];
        }
    };

    AvailableColumns() = default;
    std::span<const std::int64_t> column(int v) const { return data_->values[column_[v]]; }
    std::int64_t weight(std::int32_t row) const { return data_->weights.empty() ? 1 : data_->weights[row]; }
    std::int64_t weight_of(std::span<const std::int32_t> rows) const;
    Wide single(int v) const { return data_->single[column_[v]]; }
    Wide product(int u, int v) const {
        return data_->products(std::max(column_[u], column_[v]), std::min(column_[u], column_[v]));
    }
    /// The rows in which some variable has a missing value, ascending.
    std::vector<std::int32_t> lost(std::span<const int> variables) const;
    Gathered gather(std::span<const int> variables) const;
    Sums sums(std::span<const int> variables, const Gathered& gathered) const;
    Sums extended(std::span<const int> variables, const Gathered& gathered, const Sums& known, int u) const;
    Correlations from(const Sums& sums) const;

    std::shared_ptr<const Data> data_;
    /// The column of each variable.
    std::vector<int> column_;
    bool rounds_ = false;
};

/// The Gaussian node-average likelihood less a penalty per parameter, for columns of variance 1: the unit of a variable
/// adds the same to its score for all parents.
class NodeAverageGaussian final : public NodeAverageScores {
public:
    /// `constant` is -(N/2) ln(2 pi); `unit` is the penalty of a parameter, of which there are parents + 2.
    NodeAverageGaussian(std::shared_ptr<AvailableColumns> columns, Fixed constant, Fixed unit, std::shared_ptr<Pool> pool);

    Pool& pool() const override { return *pool_; }
    double cost_of_family() const override;
    std::int64_t complete_rows(const VariableSet& family) const override;

protected:
    std::shared_ptr<FamilyScores> renumbered(std::span<const int> order) override;
    Fixed alone(int child) override;
    std::vector<Step> gains(int child, const VariableSet& given, std::span<const int> candidates) override;
    double free_parameters(int, const VariableSet& parents) const override { return static_cast<double>(parents.size()) + 2; }
    CompleteScores make_complete_scores() override;

private:
    std::shared_ptr<AvailableColumns> columns_;
    Fixed constant_;
    std::shared_ptr<Pool> pool_;
};

/// A test of the partial correlation of x and y given z, on the rows in which all are known.
class AvailableCorrelationTest {
public:
    AvailableCorrelationTest(std::shared_ptr<AvailableColumns> columns, CorrelationStatistic statistic,
                             std::shared_ptr<Pool> pool)
        : columns_(std::move(columns)), statistic_(statistic), pool_(std::move(pool)) {}

    /// Test x and each candidate given some variables, which are ascending.
    std::vector<Outcome> outcomes(int x, std::span<const int> given, std::span<const int> candidates) const;

private:
    std::shared_ptr<AvailableColumns> columns_;
    CorrelationStatistic statistic_;
    std::shared_ptr<Pool> pool_;
};

}  // namespace stablebn
