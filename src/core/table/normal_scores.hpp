// Normal scores: what the values of a column would be if it were Gaussian, by their ranks alone.
#pragma once

#include <cstdint>

namespace stablebn {

/// The standard normal quantile of (total + place) / (2 total), for -total < place < total; that of -place is the same with
/// the other sign, to the last bit. Basic operations and the logarithm of the core alone: the same bits on every machine.
double normal_score(std::int64_t place, std::int64_t total);

}  // namespace stablebn
