#include "table/normal_scores.hpp"

#include <cmath>
#include <cstddef>

#include "numeric/logarithm.hpp"

namespace stablebn {

namespace {

template <std::size_t Size>
double polynomial(const double (&coefficients)[Size], double x) {
    double value = 0;
    for (std::size_t i = Size; i-- > 0;) value = value * x + coefficients[i];
    return value;
}

// Rational approximations of Wichura (1988), "Algorithm AS 241: the percentage points of the normal distribution":
// relative errors of about 1e-16. The one for tails is intended for probabilities above e**-25, and is smooth beyond.
constexpr double MIDDLE = 0.425;
constexpr double MIDDLE_ABOVE[] = {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                                   1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                                   3.3430575583588128105e4, 2.5090809287301226727e3};
constexpr double MIDDLE_BELOW[] = {1.0,
                                   4.2313330701600911252e1,
                                   6.8718700749205790830e2,
                                   5.3941960214247511077e3,
                                   2.1213794301586595867e4,
                                   3.9307895800092710610e4,
                                   2.8729085735721942674e4,
                                   5.2264952788528545610e3};
constexpr double TAIL = 1.6;
constexpr double TAIL_ABOVE[] = {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
                                 3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
                                 2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr double TAIL_BELOW[] = {1.0,
                                 2.05319162663775882187e0,
                                 1.67638483018380384940e0,
                                 6.89767334985100004550e-1,
                                 1.48103976427480074590e-1,
                                 1.51986665636164571966e-2,
                                 5.47593808499534494600e-4,
                                 1.05075007164441684324e-9};

}  // namespace

double normal_score(std::int64_t place, std::int64_t total) {
    const double all = 2 * static_cast<double>(total);
    const double from_middle = static_cast<double>(place) / all;
    if (std::abs(from_middle) <= MIDDLE) {
        const double rest = MIDDLE * MIDDLE - from_middle * from_middle;
        return from_middle * polynomial(MIDDLE_ABOVE, rest) / polynomial(MIDDLE_BELOW, rest);
    }
    const double beyond = static_cast<double>(total - std::abs(place)) / all;
    const double root = std::sqrt(-ln({beyond, 0.0}).hi) - TAIL;
    const double size = polynomial(TAIL_ABOVE, root) / polynomial(TAIL_BELOW, root);
    return place < 0 ? -size : size;
}

}  // namespace stablebn
