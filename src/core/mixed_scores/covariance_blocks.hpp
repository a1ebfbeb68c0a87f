// Determinants of covariances of variables that are blocks of columns, independent of the order of variables and
// levels.
//
// A categorical variable is the indicators of all its levels but one, a continuous variable a column of integers, so
// sums of products are integers. For a set of variables let C be the covariance of all its columns, and D the same with
// zeros between different variables. The result is
//
//     r = det((1 - e) C + e D) / det D,   e = 2**-40.
//
// It is 1 for a single variable and for independent ones, and smaller the more they depend on each other. Without e, a
// column that the others determine would make it 0. C has no negative eigenvalue, so with e each factor of r is at
// least e, and no pivot needs a lower limit, which would depend on the order of elimination. A change of the columns of
// one variable multiplies both determinants by the same factor: the omitted level and the order of levels and variables
// do not affect r, a quotient of two integers.
//
// A variable that a single other variable of the set determines (a copy, or the same with fewer levels) is left out of
// both determinants and contributes a factor e per column. So it has no effect on the others given that variable; with
// e alone it would, because the first of several copies would be known only to 2**-40. Of variables that determine each
// other one is kept; r is the same for any choice.
//
// The result is r rounded to a fixed number of bits, halves up, and always correctly: computed in doubles if their
// bounded error cannot change it, else in double-doubles, else in exact integers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "numeric/double_double.hpp"
#include "runtime/views.hpp"
#include "numeric/int128.hpp"

namespace stablebn {

/// mantissa * 2**exponent.
struct ScaledNumber {
    double mantissa;
    std::int64_t exponent;
};

/// The arithmetic of a determinant; the next one is used if one cannot guarantee correct rounding.
enum class Arithmetic { doubles = 0, double_doubles = 1, integers = 2 };

class CovarianceBlocks {
public:
    /// `products`: N sum(x y) - sum(x) sum(y) of all columns, N the number of rows; `columns`: the columns of each
    /// variable; `frequencies`: the numbers of rows of its levels, the first of which has no column; empty for
    /// continuous variables.
    CovarianceBlocks(Matrix<Wide> products, std::vector<std::vector<int>> columns,
                     std::vector<std::vector<std::int64_t>> frequencies, std::int64_t total,
                     Arithmetic first = Arithmetic::doubles);

    std::size_t variables() const { return columns_.size(); }
    std::size_t columns(int variable) const { return columns_[variable].size(); }
    bool is_categorical(int variable) const { return shares_[variable][0].hi != 0; }
    std::span<const int> columns_of(int variable) const { return columns_[variable]; }
    /// N sum(x y) - sum(x) sum(y) of all columns.
    const Matrix<Wide>& products() const { return products_; }

    /// r of a set of variables, rounded.
    ScaledNumber determinant(std::span<const int> variables) const;

    /// r of a base with further variables, and of the same with a child: the two that a regression of the child
    /// compares.
    struct Pair {
        ScaledNumber parents, family;
    };
    /// One pair for each of some sets of further variables; the base is eliminated once for all. No set has a variable
    /// of the base. Rounded to fewer bits, because there are many pairs.
    std::vector<Pair> determinants_of_families(std::span<const int> base, int child,
                                               std::span<const std::vector<int>> joining) const;

private:
    class Elimination;

    ScaledNumber determinant(std::span<const int> variables, int most_bits) const;
    /// Products between columns of different variables, as if the columns of one variable were uncorrelated with
    /// variance 1.
    DoubleDouble whitened(const Matrix<Wide>& between, int u, std::size_t i, int v, std::size_t j) const;
    DoubleDouble correlation(const Matrix<Wide>& between, int u, std::size_t i, int v, std::size_t j) const;
    /// The products between two variables; those of the level without a column come first.
    Matrix<Wide> between(int u, int v) const;
    /// Whether two variables share exactly this many dimensions: this many of their canonical correlations are 1, the
    /// others 0.
    bool share(const Matrix<Wide>& between, int u, int v, std::size_t dimensions) const;
    /// The variables that no other of them determines; of copies the first.
    std::vector<int> undetermined(std::span<const int> variables) const;
    /// Nothing if the error is too large.
    template <class Number>
    std::optional<ScaledNumber> by_elimination(std::span<const int> columns, int bits) const;
    ScaledNumber by_integers(std::span<const int> columns, int bits) const;

    Matrix<Wide> products_;
    std::vector<std::vector<int>> columns_;
    std::vector<int> variable_of_column_;
    /// For each variable, the deviations of its columns, preceded by that of the level without one; and the share of
    /// this level in each column.
    std::vector<std::vector<DoubleDouble>> deviations_, shares_;
    Matrix<DoubleDouble> whitened_;
    /// `whitened_` rounded to doubles, with the zeros and ones of `by_elimination`.
    Matrix<double> rounded_;
    /// Whether variable u determines variable v.
    Matrix<std::uint8_t> determines_;
    /// Whether a variable determines another or is determined by one.
    std::vector<std::uint8_t> is_entangled_;
    /// Upper bound of the residual variance of a variable that another determines.
    double nothing_;
    int bits_of_families_;
    Arithmetic first_;
};

}  // namespace stablebn
