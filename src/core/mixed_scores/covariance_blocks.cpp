#include "mixed_scores/covariance_blocks.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <type_traits>
#include <utility>

#include "numeric/residues.hpp"

namespace stablebn {

namespace {

/// e is 2**-40, the relative residual variance below which columns count as collinear (specification, section 2).
constexpr int BITS_OF_SHRINKING = 40;

/// Times the number of correlations between two variables, an upper bound of the error of the sum of their squares,
/// about 2**-100. The residual of one variable given another is 0 or far greater: 1 / 2N for levels; about 2**-50 / N
/// for integers with a standard deviation of 2**24; 2**-46 / N for those with 2**22, for more than 2**36 rows.
double nothing(std::int64_t rows) { return rows <= (std::int64_t{1} << 28) ? 0x1p-84 : 0x1p-94; }

/// Bits of a determinant. Fewer for a great many columns, where the penalty of a column is so large that they are more
/// than enough, and exact integers would take long.
constexpr int MOST_BITS = 34;
int bits_for(std::size_t columns) { return columns <= 64 ? MOST_BITS : columns <= 512 ? 24 : 14; }

/// The error of an elimination step, and a quarter of that of an entry of the matrix; both are at most 1. An operation
/// on double-doubles has an error of 16 * 2**-106, and an entry takes about a dozen of them.
template <class Number>
constexpr double UNIT_OF_ERROR = std::is_same_v<Number, double> ? 0x1p-53 : 0x1p-99;

/// Number of bits of a positive integer.
int bit_width(Wide x) {
    const auto high = static_cast<std::uint64_t>(x >> 64);
    return high ? 64 + std::bit_width(high) : std::bit_width(static_cast<std::uint64_t>(x));
}

/// Bits of the determinants of families: enough that the error of a score is below 2**-14 nats, and no more, so that
/// doubles rarely leave doubt.
int bits_for_families(std::int64_t rows) {
    return std::min(MOST_BITS, 14 + bit_width(Wide{rows}));
}

double leading(double x) { return x; }
double leading(DoubleDouble x) { return x.hi; }

DoubleDouble both(double x) { return {x, 0.0}; }
DoubleDouble both(DoubleDouble x) { return x; }

double scaled(double x, int exponent) { return std::ldexp(x, exponent); }
DoubleDouble scaled(DoubleDouble x, int exponent) { return times_power(x, exponent); }

template <class Number>
Number in(DoubleDouble x) {
    if constexpr (std::is_same_v<Number, double>) {
        return x.hi;
    } else {
        return x;
    }
}

/// Round to `bits` bits, if an error of this relative size cannot change them.
std::optional<ScaledNumber> rounded(DoubleDouble mantissa, std::int64_t exponent, double error, int bits) {
    const DoubleDouble steps = times_power(mantissa, bits);
    const double whole = std::floor(steps.hi);
    const double rest = (steps.hi - whole) + steps.lo + 0.5;
    // The second part is the rounding of the line above.
    const double slack = std::ldexp(error, bits) + 0x1p-50;
    // Just below a power of two the steps are half as wide: within a quarter of one, that power is the nearest in both.
    if (!(slack < 0.25) || std::floor(rest - slack) != std::floor(rest + slack)) return std::nullopt;
    int shift = 0;
    const double found = std::frexp(whole + std::floor(rest), &shift);
    return ScaledNumber{found, exponent + shift - bits};
}

/// The trace of the inverse of L D L', L lower triangular with ones on its diagonal.
double trace_of_inverse(const Matrix<double>& lower, std::span<const double> pivots) {
    const std::size_t k = pivots.size();
    double trace = 0;
    std::vector<double> column(k);
    for (std::size_t j = 0; j < k; ++j) {
        column[j] = 1;
        for (std::size_t i = j; i < k; ++i) {
            if (i > j) {
                column[i] = 0;
                for (std::size_t other = j; other < i; ++other) column[i] -= lower(i, other) * column[other];
            }
            trace += column[i] * column[i] / pivots[i];
        }
    }
    return trace;
}

}  // namespace

CovarianceBlocks::CovarianceBlocks(Matrix<Wide> products, std::vector<std::vector<int>> columns,
                                   std::vector<std::vector<std::int64_t>> frequencies, std::int64_t total,
                                   Arithmetic first)
    : products_(std::move(products)),
      columns_(std::move(columns)),
      variable_of_column_(products_.rows()),
      whitened_(products_.rows(), products_.rows()),
      determines_(columns_.size(), columns_.size()),
      nothing_(nothing(total)),
      bits_of_families_(bits_for_families(total)),
      first_(first) {
    const DoubleDouble root_of_total = square_root(to_double_double(total));
    for (std::size_t v = 0; v < columns_.size(); ++v) {
        for (const int column : columns_[v]) variable_of_column_[column] = static_cast<int>(v);
        auto& deviations = deviations_.emplace_back();
        auto& shares = shares_.emplace_back();
        if (frequencies[v].empty()) {
            const int column = columns_[v][0];
            deviations = {DoubleDouble{1.0, 0.0}, square_root(to_double_double(products_(column, column)))};
            shares = {DoubleDouble{}, DoubleDouble{}};
            continue;
        }
        const DoubleDouble root_of_first = square_root(to_double_double(frequencies[v][0]));
        for (const std::int64_t rows : frequencies[v]) {
            const DoubleDouble root = square_root(to_double_double(rows));
            deviations.push_back(root * root_of_total);
            shares.push_back(root / (root_of_total + root_of_first));
        }
    }
    for (std::size_t u = 0; u < columns_.size(); ++u) {
        for (std::size_t v = 0; v < u; ++v) {
            const auto own = between(static_cast<int>(u), static_cast<int>(v));
            determines_(v, u) = share(own, static_cast<int>(u), static_cast<int>(v), columns_[u].size());
            determines_(u, v) = share(own, static_cast<int>(u), static_cast<int>(v), columns_[v].size());
            for (std::size_t i = 0; i < columns_[u].size(); ++i) {
                for (std::size_t j = 0; j < columns_[v].size(); ++j) {
                    const DoubleDouble x = whitened(own, static_cast<int>(u), i + 1, static_cast<int>(v), j + 1);
                    const DoubleDouble less = x - times_power(x, -BITS_OF_SHRINKING);
                    whitened_(columns_[u][i], columns_[v][j]) = whitened_(columns_[v][j], columns_[u][i]) = less;
                }
            }
        }
    }
    for (std::size_t i = 0; i < products_.rows(); ++i) whitened_(i, i) = {1.0, 0.0};
    rounded_ = Matrix<double>(products_.rows(), products_.rows());
    for (std::size_t i = 0; i < products_.rows(); ++i) {
        for (std::size_t j = 0; j < products_.rows(); ++j) {
            if (i == j || variable_of_column_[i] != variable_of_column_[j]) rounded_(i, j) = whitened_(i, j).hi;
        }
    }
    is_entangled_.assign(columns_.size(), 0);
    for (std::size_t u = 0; u < columns_.size(); ++u) {
        for (std::size_t v = 0; v < columns_.size(); ++v) {
            if (determines_(u, v) || determines_(v, u)) is_entangled_[u] = 1;
        }
    }
}

/// Indicators of all levels sum to 1, so the omitted one is minus the sum of the others. For a continuous variable it
/// is 0.
Matrix<Wide> CovarianceBlocks::between(int u, int v) const {
    const auto &rows = columns_[u], &columns = columns_[v];
    Matrix<Wide> found(rows.size() + 1, columns.size() + 1);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < columns.size(); ++j) {
            const Wide product = products_(rows[i], columns[j]);
            found(i + 1, j + 1) = product;
            found(0, j + 1) -= product;
            found(i + 1, 0) -= product;
            found(0, 0) += product;
        }
    }
    return found;
}

/// Let p be the shares of all levels, and divide indicators by their roots: then the covariance of one variable is I -
/// q q', q the roots of p. A reflection that maps q to the first axis makes the rest of it I.
DoubleDouble CovarianceBlocks::whitened(const Matrix<Wide>& between, int u, std::size_t i, int v, std::size_t j) const {
    const auto at = [&](std::size_t a, std::size_t b) { return correlation(between, u, a, v, b); };
    const DoubleDouble share_u = shares_[u][i], share_v = shares_[v][j];
    return (at(i, j) - share_u * at(0, j)) - share_v * (at(i, 0) - share_u * at(0, 0));
}

DoubleDouble CovarianceBlocks::correlation(const Matrix<Wide>& between, int u, std::size_t i, int v, std::size_t j) const {
    return to_double_double(between(i, j)) / (deviations_[u][i] * deviations_[v][j]);
}

/// The sum of the squares of canonical correlations equals that of the squares of all correlations between levels.
bool CovarianceBlocks::share(const Matrix<Wide>& between, int u, int v, std::size_t dimensions) const {
    const std::size_t first_u = shares_[u][0].hi == 0, first_v = shares_[v][0].hi == 0;
    DoubleDouble rest{static_cast<double>(dimensions), 0.0};
    for (std::size_t i = first_u; i < between.rows(); ++i) {
        for (std::size_t j = first_v; j < between.columns(); ++j) {
            const DoubleDouble own = correlation(between, u, i, v, j);
            rest = rest - own * own;
        }
    }
    return std::abs(rest.hi) < nothing_ * static_cast<double>(between.rows() * between.columns());
}

std::vector<int> CovarianceBlocks::undetermined(std::span<const int> variables) const {
    std::vector<int> kept;
    for (std::size_t i = 0; i < variables.size(); ++i) {
        const int v = variables[i];
        bool is_determined = false;
        for (std::size_t j = 0; j < variables.size() && !is_determined; ++j) {
            const int u = variables[j];
            is_determined = i != j && determines_(u, v) && (j < i || !determines_(v, u));
        }
        if (!is_determined) kept.push_back(v);
    }
    return kept;
}

ScaledNumber CovarianceBlocks::determinant(std::span<const int> variables) const { return determinant(variables, MOST_BITS); }

ScaledNumber CovarianceBlocks::determinant(std::span<const int> variables, int most_bits) const {
    std::vector<int> columns;
    for (const int v : undetermined(variables)) columns.insert(columns.end(), columns_[v].begin(), columns_[v].end());
    std::size_t all = 0;
    for (const int v : variables) all += columns_[v].size();
    const int bits = std::min(most_bits, bits_for(columns.size()));
    std::optional<ScaledNumber> found;
    if (first_ <= Arithmetic::doubles) found = by_elimination<double>(columns, bits);
    if (!found && first_ <= Arithmetic::double_doubles) found = by_elimination<DoubleDouble>(columns, bits);
    if (!found) found = by_integers(columns, bits);
    found->exponent -= BITS_OF_SHRINKING * static_cast<std::int64_t>(all - columns.size());
    return *found;
}

/// The factors L D L' are exact for a matrix A + E, where each entry of E is at most as many units of error as there
/// are elimination steps before it, because the diagonal of A is 1. |ln det(A + E) - ln det A| is at most 2 |E|
/// trace((A + E)**-1) as long as |E| times the trace is below 1/2.
template <class Number>
std::optional<ScaledNumber> CovarianceBlocks::by_elimination(std::span<const int> columns, int bits) const {
    const std::size_t k = columns.size();
    Matrix<Number> work(k, k);
    for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const bool is_same = variable_of_column_[columns[i]] == variable_of_column_[columns[j]];
            work(i, j) = is_same ? Number{} : in<Number>(whitened_(columns[i], columns[j]));
        }
        work(i, i) = in<Number>(DoubleDouble{1.0, 0.0});
    }
    Matrix<double> lower(k, k);
    std::vector<double> pivots(k);
    Number mantissa = in<Number>(DoubleDouble{1.0, 0.0});
    std::int64_t exponent = 0;
    for (std::size_t j = 0; j < k; ++j) {
        const Number pivot = work(j, j);
        pivots[j] = leading(pivot);
        if (!(pivots[j] > 0)) return std::nullopt;
        mantissa = mantissa * pivot;
        int shift = 0;
        std::frexp(leading(mantissa), &shift);
        mantissa = scaled(mantissa, -shift);
        exponent += shift;
        for (std::size_t i = j + 1; i < k; ++i) {
            const Number ratio = work(i, j) / pivot;
            lower(i, j) = leading(ratio);
            for (std::size_t other = j + 1; other <= i; ++other) work(i, other) = work(i, other) - ratio * work(other, j);
        }
    }
    const auto size = static_cast<double>(k);
    const double in_entries = size * (size / 2 + 4) * UNIT_OF_ERROR<Number>;
    const double part = in_entries * trace_of_inverse(lower, pivots);
    // Twice this, because the trace is rounded too.
    return part < 0.125 ? rounded(both(mantissa), exponent, 4 * part, bits) : std::nullopt;
}

/// The factors L D L' of a matrix that grows column by column, in doubles, with the trace of its inverse.
///
/// A column is eliminated by the same operations as in `by_elimination`, so the error has the same bound.
class CovarianceBlocks::Elimination {
public:
    Elimination(const Matrix<double>& matrix, std::size_t most) : matrix_(matrix), lower_(most, most), solved_(most) {
        columns_.reserve(most);
        steps_.reserve(most);
    }

    std::size_t size() const { return columns_.size(); }
    void shrink(std::size_t size) {
        columns_.resize(size);
        steps_.resize(size);
    }

    /// Whether all pivots are positive so far: once one is not, elimination stops.
    bool is_positive() const { return steps_.empty() || steps_.back().pivot > 0; }

    void append(int column) {
        const std::size_t k = size();
        const auto row = lower_[k];
        Step step = k ? steps_.back() : Step{1.0, 0.0, 1.0, 0};
        if (!is_positive()) {
            columns_.push_back(column);
            steps_.push_back(step);
            return;
        }
        for (std::size_t i = 0; i < k; ++i) {
            double own = matrix_(column, columns_[i]);
            const auto before = lower_[i];
            for (std::size_t j = 0; j < i; ++j) own -= before[j] * row[j];
            row[i] = own;
        }
        double pivot = 1.0;
        for (std::size_t i = 0; i < k; ++i) {
            const double ratio = row[i] / steps_[i].pivot;
            pivot -= ratio * row[i];
            row[i] = solved_[i] = ratio;
        }
        double squares = 1.0;
        for (std::size_t i = k; i-- > 0;) {
            squares += solved_[i] * solved_[i];
            const auto before = lower_[i];
            for (std::size_t j = 0; j < i; ++j) solved_[j] -= before[j] * solved_[i];
        }
        step.pivot = pivot;
        if (pivot > 0) {
            int shift = 0;
            step.mantissa = std::frexp(step.mantissa * pivot, &shift);
            step.exponent += shift;
            // The inverse of a matrix with one more row and column.
            step.trace += squares / pivot;
        }
        columns_.push_back(column);
        steps_.push_back(step);
    }

    /// The determinant, if the error leaves no doubt about its bits.
    std::optional<ScaledNumber> determinant(int most_bits) const {
        if (!is_positive()) return std::nullopt;
        if (steps_.empty()) return ScaledNumber{0.5, 1};
        const std::size_t columns = size();
        const auto count = static_cast<double>(columns);
        const Step& step = steps_.back();
        const double part = count * (count / 2 + 4) * UNIT_OF_ERROR<double> * step.trace;
        return part < 0.125 ? rounded({step.mantissa, 0.0}, step.exponent, 4 * part, std::min(most_bits, bits_for(columns)))
                            : std::nullopt;
    }

private:
    struct Step {
        double pivot, trace, mantissa;
        std::int64_t exponent;
    };

    const Matrix<double>& matrix_;
    Matrix<double> lower_;
    std::vector<double> solved_;
    std::vector<int> columns_;
    std::vector<Step> steps_;
};

std::vector<CovarianceBlocks::Pair> CovarianceBlocks::determinants_of_families(
    std::span<const int> base, int child, std::span<const std::vector<int>> joining) const {
    std::size_t most = 0;
    for (const auto& own : joining) {
        std::size_t columns = 0;
        for (const int u : own) columns += columns_[u].size();
        most = std::max(most, columns);
    }
    bool is_simple = first_ == Arithmetic::doubles && !is_entangled_[child];
    std::size_t columns_of_base = 0;
    for (const int u : base) {
        is_simple = is_simple && !is_entangled_[u];
        columns_of_base += columns_[u].size();
    }
    Elimination elimination(rounded_, columns_of_base + most + columns_[child].size());
    const auto append = [&](int variable) {
        for (const int column : columns_[variable]) elimination.append(column);
    };
    if (is_simple) std::for_each(base.begin(), base.end(), append);
    std::vector<Pair> found;
    found.reserve(joining.size());
    std::vector<int> members;
    for (const auto& own : joining) {
        std::optional<ScaledNumber> parents, family;
        if (is_simple && std::none_of(own.begin(), own.end(), [&](int u) { return is_entangled_[u]; })) {
            std::for_each(own.begin(), own.end(), append);
            parents = elimination.determinant(bits_of_families_);
            append(child);
            family = elimination.determinant(bits_of_families_);
            elimination.shrink(columns_of_base);
        }
        if (!parents || !family) {
            members.assign(base.begin(), base.end());
            members.insert(members.end(), own.begin(), own.end());
            if (!parents) parents = determinant(members, bits_of_families_);
            members.push_back(child);
            if (!family) family = determinant(members, bits_of_families_);
        }
        found.push_back({*parents, *family});
    }
    return found;
}

/// r = A / B * 2**-40 for each column, A and B determinants of integers. Its power of two, and then its bits, are found
/// by comparing it with numbers.
ScaledNumber CovarianceBlocks::by_integers(std::span<const int> columns, int bits) const {
    const std::size_t k = columns.size();
    std::int64_t bits_of_integers = bits + 4;
    for (const int column : columns) {
        // A determinant of covariances is at most the product of its diagonal.
        bits_of_integers += BITS_OF_SHRINKING + bit_width(products_(column, column));
    }
    const auto primes = primes_beyond(bits_of_integers);
    std::vector<Residue> above, below, matrix(k * k), blocks(k * k);
    for (const Residue prime : primes) {
        const Residue one = power(2, BITS_OF_SHRINKING, prime);
        for (std::size_t i = 0; i < k; ++i) {
            for (std::size_t j = 0; j < k; ++j) {
                const auto modulus = static_cast<Wide>(prime);
                const auto product = static_cast<Residue>((products_(columns[i], columns[j]) % modulus + modulus) % modulus);
                const bool is_same = variable_of_column_[columns[i]] == variable_of_column_[columns[j]];
                matrix[i * k + j] = product * (is_same ? one : (one + prime - 1) % prime) % prime;
                blocks[i * k + j] = is_same ? product : 0;
            }
        }
        above.push_back(stablebn::determinant(matrix, k, prime));
        below.push_back(stablebn::determinant(blocks, k, prime));
    }
    const auto shrunk = static_cast<std::int64_t>(k) * BITS_OF_SHRINKING;
    const auto at_least = [&](std::int64_t factor, std::int64_t exponent) {
        const std::int64_t shift = exponent + shrunk;
        std::vector<Residue> difference;
        for (std::size_t i = 0; i < primes.size(); ++i) {
            const Residue prime = primes[i], power_of_two = power(2, static_cast<std::uint64_t>(std::abs(shift)), prime);
            const Residue other = static_cast<Residue>(factor) % prime * below[i] % prime;
            const Residue own = shift < 0 ? above[i] * power_of_two % prime : above[i];
            difference.push_back((own + prime - (shift < 0 ? other : other * power_of_two % prime)) % prime);
        }
        return !is_negative(difference, primes);
    };
    std::int64_t low = -shrunk, high = 0;
    while (low < high) {
        const std::int64_t middle = high - (high - low) / 2;
        at_least(1, middle) ? low = middle : high = middle - 1;
    }
    const std::int64_t exponent = low - bits;
    low = std::int64_t{1} << bits;
    high = 2 * low - 1;
    while (low < high) {
        const std::int64_t middle = high - (high - low) / 2;
        at_least(middle, exponent) ? low = middle : high = middle - 1;
    }
    // One bit more than needed: half a step.
    int shift = 0;
    const double found = std::frexp(static_cast<double>((low + 1) / 2), &shift);
    return {found, exponent + 1 + shift};
}

}  // namespace stablebn
