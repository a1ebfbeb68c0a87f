// Integers of any size by their residues modulo primes: exact determinants, and the sign of their differences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stablebn {

/// A residue, or a prime below 2**31: products of two residues fit 64 bits.
using Residue = std::uint64_t;

/// Primes whose product exceeds 2**(bits + 31), so that signed integers below 2**bits are distinguished.
std::vector<Residue> primes_beyond(std::int64_t bits);

/// x**n modulo a prime.
Residue power(Residue x, std::uint64_t n, Residue prime);

/// The determinant of a square matrix modulo a prime; the matrix is overwritten.
Residue determinant(std::span<Residue> matrix, std::size_t size, Residue prime);

/// Whether an integer is negative, by its residues modulo all primes of `primes_beyond`.
bool is_negative(std::span<const Residue> residues, std::span<const Residue> primes);

}  // namespace stablebn
