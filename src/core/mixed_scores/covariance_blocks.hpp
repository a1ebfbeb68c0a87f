// Determinants of covariances of variables that are blocks of columns: a number that the data decide, and no order.
//
// A categorical variable is the indicators of all its levels but one, a continuous one a column of integers; so sums of
// products are integers. For a set of variables let C be the covariance of all its columns, and D the same with zeros
// between different variables. The number is
//
//     r = det((1 - e) C + e D) / det D,   e = 2**-40.
//
// It is 1 of a variable alone and of independent ones, and the less the more they tell of each other. Without e, a
// column that the others determine would make it 0. As C has no negative eigenvalue, with e each factor of r is at
// least e, and no pivot need ever be raised to some least value, which is where an order of elimination would matter.
// A change of the columns of one variable multiplies both determinants by the same: which level is left out, and in
// which order levels and variables come, does not matter to r, which is a quotient of two integers.
//
// A variable that a single other one of the set determines (a copy, or the same in fewer levels) is left out of both
// determinants, and counts e for each column: so it tells nothing of the others once that one is known. With e alone it
// would, as the first of several copies would be known to 2**-40 only. Of variables that determine each other one is
// kept: r is the same with any of them.
//
// What is given is r rounded to so many bits, halves up, and always the right ones: from doubles where their error,
// which is bounded, cannot change them; else from numbers of two doubles; else from the integers themselves.
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

/// In what a determinant is worked out; a later way is asked where one before it is not sure.
enum class Arithmetic { doubles = 0, double_doubles = 1, integers = 2 };

class CovarianceBlocks {
public:
    /// `products` are N sum(x y) - sum(x) sum(y) of all columns, N the number of rows; `columns` those of each variable;
    /// `frequencies` the rows of its levels, the first of which has no column, and none of continuous variables.
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

    /// r of a base with more variables, and of the same with a child too: those that a regression of the child compares.
    struct Pair {
        ScaledNumber parents, family;
    };
    /// One pair for each of some sets of variables that may join the base, which is eliminated once for all of them. No set
    /// has a variable of the base. They are rounded to fewer bits, as there are many.
    std::vector<Pair> determinants_of_families(std::span<const int> base, int child,
                                               std::span<const std::vector<int>> joining) const;

private:
    class Elimination;

    ScaledNumber determinant(std::span<const int> variables, int most_bits) const;
    /// Columns between different variables, as if those of one variable were uncorrelated and had variance 1.
    DoubleDouble whitened(const Matrix<Wide>& between, int u, std::size_t i, int v, std::size_t j) const;
    DoubleDouble correlation(const Matrix<Wide>& between, int u, std::size_t i, int v, std::size_t j) const;
    /// The products between two variables, those of the level without a column before all others.
    Matrix<Wide> between(int u, int v) const;
    /// Whether two variables share so many dimensions: so many of their canonical correlations are 1, and the others 0.
    bool share(const Matrix<Wide>& between, int u, int v, std::size_t dimensions) const;
    /// Those of some variables that no other of them determines, of copies the first.
    std::vector<int> undetermined(std::span<const int> variables) const;
    /// None where the error is too large.
    template <class Number>
    std::optional<ScaledNumber> by_elimination(std::span<const int> columns, int bits) const;
    ScaledNumber by_integers(std::span<const int> columns, int bits) const;

    Matrix<Wide> products_;
    std::vector<std::vector<int>> columns_;
    std::vector<int> variable_of_column_;
    /// For each variable, the deviations of its columns, and before them that of the level without one; and the share of
    /// this level in each column.
    std::vector<std::vector<DoubleDouble>> deviations_, shares_;
    Matrix<DoubleDouble> whitened_;
    /// `whitened_` rounded to doubles, with the zeros and ones of `by_elimination`.
    Matrix<double> rounded_;
    /// Whether variable u determines variable v.
    Matrix<std::uint8_t> determines_;
    /// Whether a variable determines another or is determined by one.
    std::vector<std::uint8_t> is_entangled_;
    /// What a variable leaves of another that determines it, at most.
    double nothing_;
    int bits_of_families_;
    Arithmetic first_;
};

}  // namespace stablebn
