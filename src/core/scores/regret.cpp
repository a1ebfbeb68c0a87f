#include "scores/regret.hpp"

#include <bit>
#include <cmath>
#include <cstddef>

namespace stablebn {

namespace {

__extension__ using UnsignedWide = unsigned __int128;

constexpr std::size_t LIMBS = 4;
// Logarithms are reduced to the ratio to the start of one of 2**SEGMENT_BITS segments of [1, 2).
constexpr int SEGMENT_BITS = 5;
constexpr std::uint64_t SEGMENTS = std::uint64_t{1} << SEGMENT_BITS;
// From 53 bits to 106, 212 and the last bits.
constexpr int NEWTON_STEPS = 3;

LongFixed integer(std::uint64_t value) { return {{0, 0, 0, value}}; }

LongFixed operator+(const LongFixed& a, const LongFixed& b) {
    LongFixed sum;
    UnsignedWide carry = 0;
    for (std::size_t i = 0; i < LIMBS; ++i) {
        carry += static_cast<UnsignedWide>(a.limbs[i]) + b.limbs[i];
        sum.limbs[i] = static_cast<std::uint64_t>(carry);
        carry >>= 64;
    }
    return sum;
}

/// Modulo 2**64: a negative difference is in two's complement.
LongFixed operator-(const LongFixed& a, const LongFixed& b) {
    LongFixed difference;
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i < LIMBS; ++i) {
        const UnsignedWide lost = static_cast<UnsignedWide>(b.limbs[i]) + borrow;
        borrow = a.limbs[i] < lost;
        difference.limbs[i] = a.limbs[i] - static_cast<std::uint64_t>(lost);
    }
    return difference;
}

LongFixed operator*(const LongFixed& a, const LongFixed& b) {
    std::array<std::uint64_t, 2 * LIMBS> product{};
    for (std::size_t i = 0; i < LIMBS; ++i) {
        UnsignedWide carry = 0;
        for (std::size_t j = 0; j < LIMBS; ++j) {
            carry += static_cast<UnsignedWide>(a.limbs[i]) * b.limbs[j] + product[i + j];
            product[i + j] = static_cast<std::uint64_t>(carry);
            carry >>= 64;
        }
        product[i + LIMBS] = static_cast<std::uint64_t>(carry);
    }
    // Three limbs are after the binary point.
    return {{product[3], product[4], product[5], product[6]}};
}

LongFixed operator*(const LongFixed& a, std::uint64_t factor) {
    LongFixed product;
    UnsignedWide carry = 0;
    for (std::size_t i = 0; i < LIMBS; ++i) {
        carry += static_cast<UnsignedWide>(a.limbs[i]) * factor;
        product.limbs[i] = static_cast<std::uint64_t>(carry);
        carry >>= 64;
    }
    return product;
}

LongFixed operator/(const LongFixed& a, std::uint64_t divisor) {
    LongFixed quotient;
    UnsignedWide rest = 0;
    for (std::size_t i = LIMBS; i-- > 0;) {
        rest = rest << 64 | a.limbs[i];
        quotient.limbs[i] = static_cast<std::uint64_t>(rest / divisor);
        rest %= divisor;
    }
    return quotient;
}

bool is_zero(const LongFixed& a) { return (a.limbs[0] | a.limbs[1] | a.limbs[2] | a.limbs[3]) == 0; }

/// A number times 2**-bits, for less than 64 bits.
LongFixed shifted_right(const LongFixed& a, int bits) {
    if (bits == 0) return a;
    LongFixed shifted;
    for (std::size_t i = 0; i < LIMBS; ++i) {
        const std::uint64_t above = i + 1 < LIMBS ? a.limbs[i + 1] << (64 - bits) : 0;
        shifted.limbs[i] = a.limbs[i] >> bits | above;
    }
    return shifted;
}

double to_double(const LongFixed& a) { return static_cast<double>(a.limbs[3]) + static_cast<double>(a.limbs[2]) * 0x1p-64; }

/// A double in [0, 2**63), exactly.
LongFixed from_double(double value) {
    LongFixed found;
    for (std::size_t i = LIMBS; i-- > 0;) {
        const double whole = std::floor(value);
        found.limbs[i] = static_cast<std::uint64_t>(whole);
        value = (value - whole) * 0x1p64;
    }
    return found;
}

/// 1 / a for a in [1, 4).
LongFixed reciprocal(const LongFixed& a) {
    LongFixed found = from_double(1.0 / to_double(a));
    for (int step = 0; step < NEWTON_STEPS; ++step) found = found * (integer(2) - a * found);
    return found;
}

/// The square root of a number in [1, 2**43), with an error below 2**-148.
LongFixed square_root(const LongFixed& a) {
    LongFixed inverse = from_double(1.0 / std::sqrt(to_double(a)));
    for (int step = 0; step < NEWTON_STEPS; ++step) {
        inverse = shifted_right(inverse * (integer(3) - a * inverse * inverse), 1);
    }
    return a * inverse;
}

/// 2 (z + z**3 / 3 + z**5 / 5 + ...) = ln((1 + z) / (1 - z)).
LongFixed ln_of_ratio(const LongFixed& z) {
    const LongFixed square = z * z;
    LongFixed sum, power = z;
    for (std::uint64_t exponent = 1; !is_zero(power); exponent += 2) {
        sum = sum + power / exponent;
        power = power * square;
    }
    return sum + sum;
}

struct Logarithms {
    LongFixed ln_2 = ln_of_ratio(integer(1) / 3);
    /// Logarithms of 1 + i / SEGMENTS.
    std::array<LongFixed, SEGMENTS> ln_of_segment;

    Logarithms() {
        for (std::uint64_t i = 0; i < SEGMENTS; ++i) ln_of_segment[i] = ln_of_ratio(integer(i) / (2 * SEGMENTS + i));
    }
};

/// The natural logarithm of a number in [1, 2**63), with an error below 2**-180.
LongFixed ln(const LongFixed& a) {
    static const Logarithms known;
    const int exponent = 63 - std::countl_zero(a.limbs[3]);
    const LongFixed mantissa = shifted_right(a, exponent);
    const std::uint64_t segment = mantissa.limbs[2] >> (64 - SEGMENT_BITS);
    const LongFixed start{{0, 0, segment << (64 - SEGMENT_BITS), 1}};
    const LongFixed z = (mantissa - start) * reciprocal(mantissa + start);
    return known.ln_2 * static_cast<std::uint64_t>(exponent) + known.ln_of_segment[segment] + ln_of_ratio(z);
}

/// The nearest multiple of 2**-62; the number is in two's complement.
Fixed rounded(const LongFixed& a) {
    const auto upper = static_cast<Wide>(static_cast<UnsignedWide>(a.limbs[3]) << 64 | a.limbs[2]);
    return {(upper + 2) >> 2};
}

}  // namespace

Regrets::Regrets(std::int64_t rows) : rows_(rows), ln_rows_(ln(integer(static_cast<std::uint64_t>(rows)))) {}

Fixed Regrets::operator()(std::int64_t outcomes) {
    if (outcomes == 1) return {};
    {
        const std::shared_lock lock(mutex_);
        const auto found = known_.find(outcomes);
        if (found != known_.end()) return found->second;
    }
    const Fixed regret = compute(outcomes);
    const std::unique_lock lock(mutex_);
    return known_.emplace(outcomes, regret).first->second;
}

/// With t = sqrt(1 + 4 N / K) one has C = (1 + t) / 2, and C (C - 1) = N / K. So ln a = ln K - ln N, N / C = K (t - 1) / 2 and
/// C + 2 / a = C t, and the regret is (2 N + K) ln C + N ln K - N ln N - K (t - 1) / 2 - (ln C + ln t) / 2.
/// No error is multiplied by more than N + K < 2**54, so the sum is off by less than 2**-90.
Fixed Regrets::compute(std::int64_t outcomes) const {
    const auto n = static_cast<std::uint64_t>(rows_), k = static_cast<std::uint64_t>(outcomes);
    const LongFixed one = integer(1);
    const LongFixed t = square_root(one + integer(4 * n) / k);
    const LongFixed c = shifted_right(one + t, 1);
    const LongFixed ln_c = ln(c);
    const LongFixed gained = ln_c * (2 * n + k) + ln(integer(k)) * n;
    const LongFixed lost = ln_rows_ * n + shifted_right((t - one) * k, 1) + shifted_right(ln_c + ln(t), 1);
    return rounded(gained - lost);
}

}  // namespace stablebn
