#include "numeric/residues.hpp"

#include <algorithm>

namespace stablebn {

namespace {

constexpr Residue PRIMES_BELOW = Residue{1} << 31;
/// All primes used are above 2**30: there are 50 million of them.
constexpr std::int64_t BITS_OF_PRIME = 30;

bool is_prime(Residue odd) {
    for (Residue d = 3; d * d <= odd; d += 2) {
        if (odd % d == 0) return false;
    }
    return true;
}

}  // namespace

std::vector<Residue> primes_beyond(std::int64_t bits) {
    std::vector<Residue> primes;
    // One more prime than the integers need.
    const auto wanted = static_cast<std::size_t>(bits / BITS_OF_PRIME + 3);
    for (Residue odd = PRIMES_BELOW - 1; primes.size() < wanted; odd -= 2) {
        if (is_prime(odd)) primes.push_back(odd);
    }
    return primes;
}

Residue power(Residue x, std::uint64_t n, Residue prime) {
    Residue found = 1;
    for (; n; n >>= 1) {
        if (n & 1) found = found * x % prime;
        x = x * x % prime;
    }
    return found;
}

Residue determinant(std::span<Residue> matrix, std::size_t size, Residue prime) {
    const auto row = [&](std::size_t i) { return matrix.subspan(i * size, size); };
    Residue found = 1;
    for (std::size_t j = 0; j < size; ++j) {
        std::size_t first = j;
        while (first < size && row(first)[j] == 0) ++first;
        if (first == size) return 0;
        if (first != j) {
            std::swap_ranges(row(first).begin(), row(first).end(), row(j).begin());
            found = prime - found;
        }
        const Residue pivot = row(j)[j];
        found = found * pivot % prime;
        const Residue inverse = power(pivot, prime - 2, prime);
        for (std::size_t i = j + 1; i < size; ++i) {
            const Residue minus_ratio = prime - row(i)[j] * inverse % prime;
            for (std::size_t other = j + 1; other < size; ++other) {
                row(i)[other] = (row(i)[other] + minus_ratio * row(j)[other]) % prime;
            }
        }
    }
    return found % prime;
}

/// Garner's digits: x = d0 + d1 p0 + d2 p0 p1 + ... modulo the product of all primes. There is one prime more than
/// needed, so the last digit is 0 for nonnegative integers, and maximal for negative ones.
bool is_negative(std::span<const Residue> residues, std::span<const Residue> primes) {
    std::vector<Residue> digits;
    for (std::size_t i = 0; i < primes.size(); ++i) {
        const Residue prime = primes[i];
        Residue known = 0, product = 1;
        for (std::size_t j = 0; j < i; ++j) {
            known = (known + digits[j] % prime * product) % prime;
            product = product * (primes[j] % prime) % prime;
        }
        digits.push_back((residues[i] + prime - known) % prime * power(product, prime - 2, prime) % prime);
    }
    return digits.back() > primes.back() / 2;
}

}  // namespace stablebn
