// Prime factors of large integers, for logarithms of integers.
#pragma once

#include <cstdint>

namespace stablebn {

/// Return a prime factor of an integer m > 1, in some microseconds for any m below 2**63.
std::int64_t prime_factor(std::int64_t m);

}  // namespace stablebn
