// Normal scores: the values that a column with these ranks would have if it were Gaussian.
#pragma once

#include <cstdint>

namespace stablebn {

/// The standard normal quantile of (total + place) / (2 total), for -total < place < total; antisymmetric in `place` to
/// the last bit. Uses only basic operations and the logarithm of this core: the same bits on every machine.
double normal_score(std::int64_t place, std::int64_t total);

}  // namespace stablebn
