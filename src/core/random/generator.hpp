// Counter-based pseudo-random numbers, keyed by the scores of a table, so that they depend on the data alone.
#pragma once

#include <cstdint>

#include "scores/family_scores.hpp"

namespace stablebn {

/// Mix the bits of a number (SplitMix64).
std::uint64_t mix(std::uint64_t number);

/// A sequence of pseudo-random numbers, a function of the key.
class Draws {
public:
    explicit Draws(std::uint64_t key) : state_(key) {}
    std::uint64_t next();
    /// The next number in 0 .. count - 1.
    int below(int count);

private:
    std::uint64_t state_;
};

/// A key computed from the scores of all single arcs: the same for every row and column order of a table.
std::uint64_t key_of(FamilyScores& scores);

}  // namespace stablebn
