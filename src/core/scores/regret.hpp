// The regret of normalised maximum likelihood (NML) for one categorical distribution.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "numeric/fixed.hpp"

namespace stablebn {

/// An unsigned number in units of 2**-192, below 2**64; the lowest limb is first.
struct LongFixed {
    std::array<std::uint64_t, 4> limbs{};
};

/// Regrets of distributions with K outcomes for N rows, by the approximation of Szpankowski and Weinberger (2012),
/// rounded to the nearest multiple of 2**-62. Each is computed once; threads may share an object.
///
/// With a = K / N and C = 1/2 + 1/2 sqrt(1 + 4 / a) the regret is N (ln a + (a + 2) ln C - 1 / C) - 1/2 ln(C + 2 / a).
/// A distribution with one outcome has no parameter and regret 0 exactly, without the approximation.
class Regrets {
public:
    explicit Regrets(std::int64_t rows);

    /// K may be at most 2**53.
    Fixed operator()(std::int64_t outcomes);

private:
    Fixed compute(std::int64_t outcomes) const;

    std::int64_t rows_;
    LongFixed ln_rows_;
    std::shared_mutex mutex_;
    std::unordered_map<std::int64_t, Fixed> known_;
};

}  // namespace stablebn
