// Random variates from raw 64-bit integers, the same on every machine.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/views.hpp"

namespace stablebn {

/// Draw the level of each row by the cumulative probabilities of its parents' configuration. The last column of
/// `cumulative` is the sum, which may differ slightly from 1. A level with probability 0 is never drawn.
void draw_levels(std::span<const std::uint64_t> raw, std::span<const std::int64_t> configurations,
                 MatrixView<const double> cumulative, std::span<std::int16_t> out);

/// Write standard normal deviates by Marsaglia's polar method; return how many of `out` were filled.
std::size_t normal_deviates(std::span<const std::uint64_t> raw, std::span<double> out);

/// Write standard exponential deviates, -ln(1 - u).
void exponential_deviates(std::span<const std::uint64_t> raw, std::span<double> out);

}  // namespace stablebn
