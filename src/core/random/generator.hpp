// Pseudo-random numbers that depend on the data alone: a counter-based generator, keyed by the scores of a table.
#pragma once

#include <cstdint>

#include "scores/family_scores.hpp"

namespace stablebn {

/// Mix the bits of a number (SplitMix64).
std::uint64_t mix(std::uint64_t number);

/// Numbers that only look random: a function of the key.
class Draws {
public:
    explicit Draws(std::uint64_t key) : state_(key) {}
    std::uint64_t next();
    /// 0 .. count - 1.
    int below(int count);

private:
    std::uint64_t state_;
};

/// A key that the scores of all single arcs decide: the same for every layout of a table.
std::uint64_t key_of(FamilyScores& scores);

}  // namespace stablebn
