#include "numeric/p_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "numeric/logarithm.hpp"

namespace stablebn {

namespace {

// The nearest double-doubles.
constexpr DoubleDouble LN_2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
constexpr DoubleDouble LN_PI{0x1.250d048e7a1bdp+0, 0x1.7abf2ad8d5088p-57};
constexpr DoubleDouble PI{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
constexpr DoubleDouble SIXTH{0x1.5555555555555p-3, 0x1.5555555555555p-57};
constexpr DoubleDouble ONE{1.0, 0.0};

// Below this everything rounds to 0 as a double, whatever moderate factor follows.
constexpr double LN_OF_NOTHING = -800;
// Smaller statistics have p-values that round to 1.
constexpr double NEXT_TO_NOTHING = 0x1p-100;
// Terms of a sum below this part of it are negligible.
constexpr double NEGLIGIBLE = 0x1p-80;
// From here on the uniform expansion is sufficiently exact.
constexpr double MANY_DEGREES = 1 << 21;

/// mantissa * 2**exponent: intermediate p-values can be smaller than doubles.
struct Scaled {
    DoubleDouble mantissa;
    int exponent = 0;

    DoubleDouble value() const { return times_power(mantissa, std::max(exponent, -500)); }

    /// The nearest double. For numbers below 2**-1022 the last product rounds, as basic operations do.
    double rounded() const {
        if (exponent > -900) return std::ldexp(mantissa.hi, exponent);
        if (exponent < -1200) return 0.0;
        return mantissa.hi * 0x1p-700 * std::ldexp(1.0, exponent + 700);
    }
};

Scaled operator*(Scaled a, DoubleDouble b) { return {a.mantissa * b, a.exponent}; }

Scaled operator+(Scaled a, Scaled b) {
    if (a.mantissa.hi == 0) return b;
    if (a.exponent < b.exponent) std::swap(a, b);
    const int shift = b.exponent - a.exponent;
    return shift < -500 ? a : Scaled{a.mantissa + times_power(b.mantissa, shift), a.exponent};
}

/// exp(y) = 2**k exp(r); exp(r) - 1 is computed from that of r / 256, a short series, by eight doublings.
Scaled exponential(DoubleDouble y) {
    constexpr int doublings = 8;
    if (!(y.hi > LN_OF_NOTHING)) return {};
    const double k = std::floor(y.hi / LN_2.hi + 0.5);
    const DoubleDouble r = times_power(y - LN_2 * k, -doublings);
    const double rest = 1.0 / 120 + r.hi * (1.0 / 720 + r.hi * (1.0 / 5040));
    DoubleDouble series = times_power(SIXTH, -2) + r * rest;
    series = SIXTH + series * r;
    series = DoubleDouble{0.5, 0.0} + series * r;
    DoubleDouble less_one = r + series * r * r;
    for (int i = 0; i < doublings; ++i) less_one = times_power(less_one, 1) + less_one * less_one;
    return {ONE + less_one, static_cast<int>(k)};
}

/// artanh(s) = s + s**3 (1/3 + s**2/5 + s**4/7 + ...): the series in brackets, with relative error 2**-90 for |s| <=
/// 1/16.
DoubleDouble artanh_series(DoubleDouble s) {
    static const auto inverse_odd = [] {
        std::array<DoubleDouble, 11> values;
        for (std::size_t k = 0; k < values.size(); ++k) values[k] = ONE / DoubleDouble{2.0 * k + 3, 0.0};
        return values;
    }();
    const DoubleDouble square = s * s;
    DoubleDouble sum;
    for (std::size_t k = inverse_odd.size(); k-- > 0;) sum = sum * square + inverse_odd[k];
    return sum;
}

DoubleDouble artanh(DoubleDouble s) { return s + s * s * s * artanh_series(s); }

/// ln(1 - r**2), with relative error 2**-85.
DoubleDouble ln_of_unexplained(double r) {
    const DoubleDouble square = two_product(r, r);
    if (square.hi > 0.125) return ln(two_sum(1.0, -r) * two_sum(1.0, r));
    return times_power(artanh(-square / (DoubleDouble{2.0, 0.0} - square)), 1);
}

/// ln Gamma(df / 2).
DoubleDouble ln_gamma_of_half(double df) {
    constexpr int few = 256;
    static const auto known = [] {
        std::array<DoubleDouble, few> values;
        values[1] = times_power(LN_PI, -1);
        for (int n = 3; n < few; ++n) values[n] = values[n - 2] + ln({n / 2.0 - 1, 0.0});
        return values;
    }();
    return df < few ? known[static_cast<std::size_t>(df)] : ln_gamma({df / 2, 0.0});
}

/// ln(Gamma((df + 1) / 2) / Gamma(df / 2)).
DoubleDouble ln_gamma_ratio(double df) {
    constexpr int few = 192;
    static const auto known = [] {
        std::array<DoubleDouble, few> values;
        values[1] = -times_power(LN_PI, -1);
        for (int n = 2; n < few; ++n) values[n] = ln({(n - 1) / 2.0, 0.0}) - values[n - 1];
        return values;
    }();
    if (df < few) return known[static_cast<std::size_t>(df)];
    // With a = df / 2: ln(a) / 2 - 1 / (8 a) + 1 / (192 a**3) - ...
    constexpr std::array<double, 5> further{1.0 / 192, -1.0 / 640, 17.0 / 14336, -31.0 / 18432, 691.0 / 180224};
    const DoubleDouble r = ONE / DoubleDouble{df / 2, 0.0};
    const double square = r.hi * r.hi;
    double rest = 0.0;
    for (std::size_t k = further.size(); k-- > 0;) rest = (rest + further[k]) * square;
    return times_power(ln({df / 2, 0.0}), -1) + r * two_sum(-0.125, rest);
}

/// x**a exp(-x) / Gamma(a).
Scaled gamma_density(double df, DoubleDouble x) {
    return exponential(ln(x) * (df / 2) - x - ln_gamma_of_half(df));
}

/// The lower tail of the gamma distribution by its power series, whose terms are all positive.
DoubleDouble gamma_lower(double df, DoubleDouble x) {
    const double a = df / 2;
    DoubleDouble term = ONE, sum = ONE;
    for (double n = a + 1; term.hi > sum.hi * NEGLIGIBLE; ++n) {
        term = term * x / DoubleDouble{n, 0.0};
        sum = sum + term;
    }
    return (gamma_density(df, x) * sum).value() / DoubleDouble{a, 0.0};
}

/// erfc(sqrt(x)), the upper tail for one degree of freedom.
///
/// With z = sqrt(x) it is 2 z exp(-x) / pi times the integral over t > 0 of exp(-t**2) / (x + t**2). The sum of that
/// function at multiples of h has an error of at most exp(-(pi / h)**2) after subtracting the contribution of its pole
/// at t = i z: 2 / (exp(2 pi z / h) - 1), which from z = 5 on is below 2**-67 of the total (Hunter and Regan 1972).
Scaled erfc_of_root(DoubleDouble x) {
    constexpr double h = 7.0 / 16;
    constexpr int most = 17;
    static const auto weights = [] {
        std::array<DoubleDouble, most> values;
        for (int k = 1; k <= most; ++k) values[k - 1] = exponential({-(k * h) * (k * h), 0.0}).value();
        return values;
    }();
    if (x.hi < NEXT_TO_NOTHING) return {ONE};
    if (x.hi < 0.5) return {ONE - gamma_lower(1.0, x)};
    const Scaled scale = exponential(-x);
    if (scale.mantissa.hi == 0) return {};
    DoubleDouble sum = DoubleDouble{0.5, 0.0} / x;
    for (int k = 1; k <= most; ++k) sum = sum + weights[k - 1] / (x + DoubleDouble{(k * h) * (k * h), 0.0});
    const DoubleDouble z = square_root(x);
    const Scaled found = scale * (z * sum * (2 * h) / PI);
    if (z.hi >= 5) return found;
    const DoubleDouble inverse = exponential(PI * z * (-2 / h)).value();
    return found + Scaled{-times_power(inverse / (ONE - inverse), 1)};
}

/// The upper tail of the gamma distribution for x >= a = df / 2.
///
/// x**(a - 1) exp(-x) / Gamma(a) times 1 + (a - 1) / x + (a - 1)(a - 2) / x**2 + ..., as long as its factors are
/// positive; if df is odd, the tail for one degree of freedom remains.
Scaled gamma_upper(double df, double x) {
    const double a = df / 2;
    const bool odd = std::floor(a) < a;
    Scaled found;
    if (df > 1) {
        const DoubleDouble inverse = ONE / DoubleDouble{x, 0.0};
        const Scaled density = gamma_density(df, {x, 0.0});
        if (density.mantissa.hi == 0) return {};
        DoubleDouble term = ONE, sum = ONE;
        for (double factor = a - 1; factor >= 1; --factor) {
            term = term * factor * inverse;
            sum = sum + term;
            if (term.hi < sum.hi * NEGLIGIBLE) return density * (sum * inverse);
        }
        found = density * (sum * inverse);
    }
    return odd ? found + erfc_of_root({x, 0.0}) : found;
}

/// The upper tail of the gamma distribution for large a = df / 2 by an expansion that is uniform in x (Temme 1979).
double many_degrees(double df, double x) {
    constexpr std::array<double, 8> c0{-1.0 / 3,  1.0 / 12,          -2.0 / 135,  1.0 / 864,
                                       1.0 / 2835, -139.0 / 777600, 1.0 / 25515, -571.0 / 261273600};
    constexpr std::array<double, 4> c1{-1.0 / 540, -1.0 / 288, 1.0 / 378, -77.0 / 77760};
    const double a = df / 2;
    // This far out the tail is 0 or 1.
    constexpr double far = 1.0 / 16;
    if (!(x > a * (1 - far))) return 1.0;
    if (x > a * (1 + far)) return 0.0;
    const bool upper = x >= a;
    // x - a - a ln(x / a), where ln(x / a) = 2 artanh(s).
    const DoubleDouble sum = two_sum(x, a), s = two_sum(x, -a) / sum;
    const DoubleDouble distance = s * s * (sum - s * artanh_series(s) * (2 * a));
    const double eta = (upper ? 1 : -1) * std::sqrt(2 * distance.hi / a);
    double first = 0.0, second = 0.0;
    for (std::size_t k = c0.size(); k-- > 0;) first = first * eta + c0[k];
    for (std::size_t k = c1.size(); k-- > 0;) second = second * eta + c1[k];
    const double rest = (first + second / a) / std::sqrt(2 * PI.hi * a);
    const Scaled normal = erfc_of_root(distance) * DoubleDouble{0.5, 0.0};
    const Scaled more = exponential(-distance) * DoubleDouble{upper ? rest : -rest, 0.0};
    const Scaled found = normal + more;
    return upper ? found.rounded() : (ONE - found.value()).hi;
}

}  // namespace

double chi_square_tail(double statistic, double df) {
    const double x = statistic / 2;
    if (!(x > NEXT_TO_NOTHING)) return 1.0;
    // Chernoff's bound a - x + a ln(x / a) of its logarithm is below -0.6 x.
    if (x > 4 * df && x > 1400) return 0.0;
    if (df >= MANY_DEGREES) return many_degrees(df, x);
    if (x < df / 2) return (ONE - gamma_lower(df, {x, 0.0})).hi;
    return gamma_upper(df, x).rounded();
}

double normal_tail(double z) { return erfc_of_root(times_power(two_product(z, z), -1)).rounded(); }

/// With x = r**2, y = 1 - x and a = df / 2, the tail is an incomplete beta function of y; x**(1/2) y**a / B(a, 1/2) is
/// a factor of both forms of it. The power series of its complement has only positive terms. Far out that would leave
/// too few digits; there a short continued fraction with positive terms is used (Gauss's, after Pfaff's
/// transformation).
double student_tail(double correlation, double df) {
    // This far out the result is at least 2**-26 of the 1 from which the series is subtracted, so smaller terms count.
    constexpr double far = 16, negligible = NEGLIGIBLE * 0x1p-26;
    const double r = std::abs(correlation), a = df / 2;
    if (!(r > NEXT_TO_NOTHING)) return 1.0;
    const DoubleDouble x = two_product(r, r), y = two_sum(1.0, -r) * two_sum(1.0, r);
    const DoubleDouble ln_power = ln_of_unexplained(r) * a;
    const Scaled density = exponential(ln_power + ln_gamma_ratio(df) - times_power(LN_PI, -1)) * DoubleDouble{r, 0.0};
    if (density.mantissa.hi == 0) return 0.0;
    if (y.hi > 0.5 && ln_power.hi > -far) {
        DoubleDouble term = ONE, sum = ONE;
        for (double n = 0.5; term.hi > sum.hi * negligible; ++n) {
            term = term * x * two_sum(a, n) / DoubleDouble{n + 1, 0.0};
            sum = sum + term;
        }
        return (ONE - times_power((density * sum).value(), 1)).hi;
    }
    // Farther out fewer terms suffice: measured, these leave a relative error below 2**-66.
    const int pairs = ln_power.hi > -64 ? 16 : 8;
    const DoubleDouble ratio = y / x;
    DoubleDouble fraction = ONE;
    for (int m = pairs; m > 0; --m) {
        const DoubleDouble even = two_sum(a, m - 0.5) * static_cast<double>(m);
        fraction = ONE + ratio * even / (two_sum(a, 2 * m - 1) * two_sum(a, 2 * m) * fraction);
        const DoubleDouble odd = two_sum(a, m - 1) * (m - 0.5);
        fraction = ONE + ratio * odd / (two_sum(a, 2 * m - 2) * two_sum(a, 2 * m - 1) * fraction);
    }
    return (density * (ONE / (x * fraction * a))).rounded();
}

double fisher_statistic(double correlation, double df) {
    const DoubleDouble z = std::abs(correlation) <= 0x1p-4
                               ? artanh({correlation, 0.0})
                               : times_power(ln(two_sum(1.0, correlation)) - ln(two_sum(1.0, -correlation)), -1);
    return (z * std::sqrt(df)).hi;
}

double information_statistic(double correlation, double total) {
    return (-ln_of_unexplained(correlation) * total).hi;
}

Critical CriticalValues::operator()(double df) const {
    if (!(df < static_cast<double>(known_.size()))) return {};
    Entry& entry = known_[static_cast<std::size_t>(df)];
    Critical found{entry.above.load(std::memory_order_relaxed), entry.not_above.load(std::memory_order_relaxed)};
    if (found.above == 0 || found.not_above == 0) {
        const auto tail = [df](double statistic) { return chi_square_tail(statistic, df); };
        double greatest = df + 1;
        while (tail(greatest) > alpha_) greatest *= 2;
        found = critical(tail, alpha_, greatest);
        entry.above.store(found.above, std::memory_order_relaxed);
        entry.not_above.store(found.not_above, std::memory_order_relaxed);
    }
    return found;
}

}  // namespace stablebn
