// Integers of 128 bits, for sums and quotients that do not fit 64 bits. Not in standard C++, but in all compilers for
// 64-bit machines except Microsoft's.
#pragma once

#include <cstdint>

#include "numeric/double_double.hpp"

namespace stablebn {

__extension__ using Wide = __int128;

/// The nearest sum of two doubles.
inline DoubleDouble to_double_double(Wide x) {
    const double hi = static_cast<double>(x);
    return two_sum(hi, static_cast<double>(x - static_cast<Wide>(hi)));
}

}  // namespace stablebn
