// Tails of distributions: p-values, the same bits on every machine.
//
// Nothing here is a function of the platform's library: only basic operations and square roots, in the order written,
// on numbers of about 100 bits. What is rounded to a double in the end is off by less than 2**-56 of itself; the tails of
// two statistics that are neighbouring doubles differ by more, unless they are nearly 1. So a greater statistic has no
// greater p-value, whichever formula each of the two falls to.
#pragma once

#include <atomic>
#include <cstddef>
#include <limits>
#include <vector>

namespace stablebn {

/// What one test found.
struct Outcome {
    double statistic = 0.0;
    double df = 0.0;
    double p_value = 1.0;
};

/// How likely a chi-square statistic is at least so great, with df = 1, 2, 3, ...: down to 5e-324.
double chi_square_tail(double statistic, double df);

/// How likely a standard normal number is at least so far from 0.
double normal_tail(double z);

/// How likely a correlation is at least so far from 0 by Student's t test with df = 1, 2, 3, ...
double student_tail(double correlation, double df);

/// Fisher's z transform of a correlation, times the square root of the degrees of freedom.
double fisher_statistic(double correlation, double df);

/// -N ln(1 - r**2): twice the mutual information of Gaussian variables, in nats, times N.
double information_statistic(double correlation, double total);

/// Statistics between which p-values cease to be above alpha.
struct Critical {
    /// Of a statistic up to this one the p-value is above alpha.
    double above = 0.0;
    /// Of a statistic from this one on it is not.
    double not_above = std::numeric_limits<double>::infinity();
};

/// Narrow the statistics where a falling tail crosses alpha, between 0, whose p-value is 1, and a greatest one.
template <class Tail>
Critical critical(const Tail& tail, double alpha, double greatest) {
    // Statistics between the bounds need their p-value; so few that narrower bounds would not pay.
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

/// Where chi-square statistics cease to have p-values above alpha, by degrees of freedom: each found when it is asked
/// for, by any thread.
class CriticalValues {
public:
    explicit CriticalValues(double alpha) : alpha_(alpha), known_(KNOWN) {}
    CriticalValues(const CriticalValues&) = delete;
    CriticalValues& operator=(const CriticalValues&) = delete;

    Critical operator()(double df) const;

private:
    // Tests with more degrees of freedom than this are rare, and have all their p-values worked out.
    static constexpr std::size_t KNOWN = 4096;

    /// Both are 0 until they are known; who else finds them finds the same.
    struct Entry {
        std::atomic<double> above{0.0}, not_above{0.0};
    };

    double alpha_;
    mutable std::vector<Entry> known_;
};

/// Which p-values need not be known.
struct Spared {
    /// None where all are to be known.
    const CriticalValues* critical = nullptr;
    /// Those that are not above alpha may be given as 0; those that are, as 1.
    bool small = false, great = false;
};

}  // namespace stablebn
