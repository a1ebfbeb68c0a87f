// Stands in for the core until it arrives, so that the build can be tried: delete it then.
#pragma once

#include <cstdint>
#include <span>

namespace stablebn {

/// The instruction set that the kernels would use.
const char* engine();

/// Bits set in all words together, each of `threads` threads counting a part of its own.
std::int64_t count_bits(std::span<const std::uint64_t> words, int threads);

}  // namespace stablebn
