// Drawing from distributions: raw 64-bit integers in, levels and deviates out, the same on every machine.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/views.hpp"

namespace stablebn {

/// The level of each row, by the cumulative probabilities of its parents' configuration. The last column of
/// `cumulative` is the sum, which need not be quite 1. A level without probability is never drawn.
void draw_levels(std::span<const std::uint64_t> raw, std::span<const std::int64_t> configurations,
                 MatrixView<const double> cumulative, std::span<std::int16_t> out);

/// Standard normal deviates by Marsaglia's polar method; how many of `out` were filled.
std::size_t normal_deviates(std::span<const std::uint64_t> raw, std::span<double> out);

/// Standard exponential deviates, -ln(1 - u).
void exponential_deviates(std::span<const std::uint64_t> raw, std::span<double> out);

}  // namespace stablebn
