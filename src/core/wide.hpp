// Integers of 128 bits, for sums and quotients that do not fit 64. They are not in standard C++, but in all compilers for
// 64-bit machines other than Microsoft's.
#pragma once

#include <cstdint>

#include "double_double.hpp"
#include "fixed.hpp"

namespace stablebn {

__extension__ using Wide = __int128;

/// A fixed-point number as one integer, in units of 2**-62.
inline Wide wide(Fixed number) { return (Wide{number.hi} << LO_BITS) + number.lo; }

/// The limbs of an integer in units of 2**-62.
inline Fixed to_fixed(Wide number) {
    return {static_cast<std::int64_t>(number >> LO_BITS), static_cast<std::int64_t>(number & LO_MASK)};
}

/// The nearest number of two doubles.
inline DoubleDouble to_double_double(Wide x) {
    const double hi = static_cast<double>(x);
    return two_sum(hi, static_cast<double>(x - static_cast<Wide>(hi)));
}

}  // namespace stablebn
