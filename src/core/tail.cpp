#include "tail.hpp"

#include <cmath>
#include <limits>

namespace stablebn {

namespace {

// Below this, the exponential is 0 as a double.
constexpr double LN_OF_LEAST = -745.2;
constexpr int MOST_TERMS = 10'000;
constexpr double INFINITE = std::numeric_limits<double>::infinity();

double ln_gamma(double a) {
#if defined(__unix__) || defined(__APPLE__)
    // `lgamma` writes a sign that all threads share.
    int sign = 0;
    return ::lgamma_r(a, &sign);
#else
    return std::lgamma(a);
#endif
}

/// The p-values that SciPy has for 0, and that need not be.
///
/// Q(a, x), with a = df / 2 and x = statistic / 2, is x**a exp(-x) / Gamma(a) times a continued fraction, which is
/// found by Lentz's method.
double far_tail(double statistic, double df) {
    const double a = df / 2, x = statistic / 2;
    if (!(0 < a && a < x && x < INFINITE)) return 0.0;
    const double scale = a * std::log(x) - x - ln_gamma(a);
    // The fraction is less than 1 / (x - a).
    if (scale - std::log(x - a) < LN_OF_LEAST) return 0.0;
    double b = x + 1 - a;
    double c = INFINITE, d = 1 / b;
    double fraction = d;
    for (int k = 1; k < MOST_TERMS; ++k) {
        const double term = k * (a - k);
        b += 2;
        c = b + term / c;
        d = 1 / (b + term * d);
        fraction *= c * d;
        if (std::abs(c * d - 1) < 1e-15) break;
    }
    return std::exp(scale + std::log(fraction));
}

}  // namespace

double ChiSquareTail::operator()(double statistic, double df) const {
    const double p_value = chdtrc_(df, statistic, 0);
    return p_value == 0 ? far_tail(statistic, df) : p_value;
}

}  // namespace stablebn
