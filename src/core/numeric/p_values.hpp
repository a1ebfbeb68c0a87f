// Tails of distributions (p-values), with the same bits on every machine.
//
// No function of the platform's library is used: only basic operations and square roots, in the order written, on
// numbers of about 100 bits. A result is rounded to a double with a relative error below 2**-56. Tails of two
// neighbouring statistics differ by more, unless they are nearly 1. So a greater statistic never has a greater p-value,
// whichever formulas are used.
#pragma once

#include <atomic>
#include <cstddef>
#include <limits>
#include <vector>

namespace stablebn {

/// The result of one test.
struct Outcome {
    double statistic = 0.0;
    double df = 0.0;
    double p_value = 1.0;
};

/// Probability that a chi-square statistic with df = 1, 2, 3, ... is at least this great; down to 5e-324.
double chi_square_tail(double statistic, double df);

/// Probability that a standard normal number is at least this far from 0.
double normal_tail(double z);

/// Probability that a correlation is at least this far from 0, by Student's t test with df = 1, 2, 3, ...
double student_tail(double correlation, double df);

/// Fisher's z transform of a correlation, times the square root of the degrees of freedom.
double fisher_statistic(double correlation, double df);

/// -N ln(1 - r**2): 2 N times the mutual information of Gaussian variables, in nats.
double information_statistic(double correlation, double total);

/// Bounds of the statistic at which the p-value crosses alpha.
struct Critical {
    /// Up to this statistic the p-value is above alpha.
    double above = 0.0;
    /// From this statistic on the p-value is not above alpha.
    double not_above = std::numeric_limits<double>::infinity();
};

/// Narrow the bounds at which a decreasing tail crosses alpha, between 0, whose p-value is 1, and a greatest statistic.
template <class Tail>
Critical critical(const Tail& tail, double alpha, double greatest) {
    // Statistics between the bounds need their exact p-value; narrower bounds would save too few of these.
    constexpr double narrow = 1 + 0x1p-10;
    if (tail(greatest) > alpha) return {greatest};
    double above = 0.0, not_above = greatest;
    while (not_above > above * narrow) {
        const double middle = above + (not_above - above) / 2;
        if (middle == above || middle == not_above) break;
        (tail(middle) > alpha ? above : not_above) = middle;
    }
    return {above, not_above};
}

/// Critical values of chi-square statistics by degrees of freedom; each is computed on first use, by any thread.
class CriticalValues {
public:
    explicit CriticalValues(double alpha) : alpha_(alpha), known_(KNOWN) {}
    CriticalValues(const CriticalValues&) = delete;
    CriticalValues& operator=(const CriticalValues&) = delete;

    Critical operator()(double df) const;

private:
    // Tests with more degrees of freedom are rare; all their p-values are computed.
    static constexpr std::size_t KNOWN = 4096;

    /// Both values are 0 until computed; concurrent threads compute the same values.
    struct Entry {
        std::atomic<double> above{0.0}, not_above{0.0};
    };

    double alpha_;
    mutable std::vector<Entry> known_;
};

/// Which p-values need not be exact.
struct Spared {
    /// Null if all must be exact.
    const CriticalValues* critical = nullptr;
    /// Values that are not above alpha may be given as 0; values above alpha as 1.
    bool small = false, great = false;
};

}  // namespace stablebn
