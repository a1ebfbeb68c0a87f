// Prime factors of large integers, of which logarithms are made.
#pragma once

#include <cstdint>

namespace stablebn {

/// A prime factor of an integer m > 1, in some microseconds for any m below 2**63.
std::int64_t prime_factor(std::int64_t m);

}  // namespace stablebn
