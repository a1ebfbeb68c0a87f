#include "numeric/factors.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace stablebn {

namespace {

using Word = std::uint64_t;
__extension__ using DoubleWord = unsigned __int128;

/// Primes for trial division, and the square of the next prime: a smaller number without a divisor among them is prime.
constexpr std::array<std::int64_t, 54> FIRST_PRIMES{
    2,   3,   5,   7,   11,  13,  17,  19,  23,  29,  31,  37,  41,  43,  47,  53,  59,  61,
    67,  71,  73,  79,  83,  89,  97,  101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151,
    157, 163, 167, 173, 179, 181, 191, 193, 197, 199, 211, 223, 227, 229, 233, 239, 241, 251,
};
constexpr std::int64_t SQUARE_OF_NEXT = 257 * 257;
/// Bases for which no composite below 2**64 passes the Miller-Rabin test (found by Jim Sinclair, 2011).
constexpr std::array<Word, 7> WITNESSES{2, 325, 9375, 28178, 450775, 9780504, 1795265022};
/// Steps of the search for a divisor between two greatest common divisors.
constexpr int STEPS_AT_ONCE = 64;

/// Multiplication modulo an odd number below 2**63 without division (Montgomery 1985): x stands for x / 2**64.
class Modulo {
public:
    explicit Modulo(Word modulus) : modulus_(modulus), inverse_(modulus) {
        // Each step doubles the number of correct bits; for an odd number the last three are correct.
        for (int step = 0; step < 5; ++step) inverse_ *= 2 - modulus * inverse_;
        one_ = (Word{0} - modulus) % modulus;
        square_ = static_cast<Word>((DoubleWord{0} - modulus) % modulus);
    }

    Word one() const { return one_; }
    Word minus_one() const { return modulus_ - one_; }
    Word from(Word x) const { return times(x % modulus_, square_); }
    Word times(Word a, Word b) const {
        const DoubleWord product = DoubleWord{a} * b;
        const Word multiple = static_cast<Word>((DoubleWord{static_cast<Word>(product) * inverse_} * modulus_) >> 64);
        const auto high = static_cast<Word>(product >> 64);
        return high >= multiple ? high - multiple : high + modulus_ - multiple;
    }
    Word plus(Word a, Word b) const { return a + b >= modulus_ ? a + b - modulus_ : a + b; }
    static Word distance(Word a, Word b) { return a > b ? a - b : b - a; }

private:
    Word modulus_, inverse_, one_, square_;
};

/// Whether an odd number above 2 is prime (Miller 1976, Rabin 1980).
bool is_prime(Word odd) {
    const Modulo modulo(odd);
    Word exponent = odd - 1;
    int twos = 0;
    for (; exponent % 2 == 0; exponent /= 2) ++twos;
    return std::ranges::all_of(WITNESSES, [&](Word witness) {
        if (witness % odd == 0) return true;
        Word power = modulo.one(), square = modulo.from(witness);
        for (Word rest = exponent; rest; rest /= 2, square = modulo.times(square, square)) {
            if (rest % 2) power = modulo.times(power, square);
        }
        if (power == modulo.one()) return true;
        for (int step = 1; step < twos && power != modulo.minus_one(); ++step) power = modulo.times(power, power);
        return power == modulo.minus_one();
    });
}

/// A divisor other than 1 and itself of an odd composite number (Brent 1980).
Word divisor(Word composite) {
    const Modulo modulo(composite);
    for (Word constant = 1;; ++constant) {
        const Word added = modulo.from(constant);
        const auto next = [&](Word x) { return modulo.plus(modulo.times(x, x), added); };
        Word fast = modulo.from(2), slow = fast, start = fast, found = 1;
        for (int length = 1; found == 1; length *= 2) {
            slow = fast;
            for (int step = 0; step < length; ++step) fast = next(fast);
            for (int done = 0; done < length && found == 1; done += STEPS_AT_ONCE) {
                start = fast;
                Word product = modulo.one();
                for (int step = 0; step < std::min(STEPS_AT_ONCE, length - done); ++step) {
                    fast = next(fast);
                    product = modulo.times(product, Modulo::distance(slow, fast));
                }
                found = std::gcd(product, composite);
            }
        }
        // Several divisors were found at once: separate them one step at a time.
        if (found == composite) {
            do {
                start = next(start);
                found = std::gcd(Modulo::distance(slow, start), composite);
            } while (found == 1);
        }
        if (found != composite) return found;
    }
}

}  // namespace

std::int64_t prime_factor(std::int64_t m) {
    for (const std::int64_t p : FIRST_PRIMES) {
        if (m % p == 0) return p;
    }
    while (m >= SQUARE_OF_NEXT && !is_prime(static_cast<Word>(m))) m = static_cast<std::int64_t>(divisor(static_cast<Word>(m)));
    return m;
}

}  // namespace stablebn
