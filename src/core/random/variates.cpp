#include "random/variates.hpp"

#include <cmath>

#include "numeric/logarithm.hpp"

namespace stablebn {

namespace {

/// A number in [0, 1) from the upper 53 bits.
double unit(std::uint64_t raw) { return static_cast<double>(raw >> 11) * 0x1p-53; }

}  // namespace

void draw_levels(std::span<const std::uint64_t> raw, std::span<const std::int64_t> configurations,
                 MatrixView<const double> cumulative, std::span<std::int16_t> out) {
    const std::size_t last = cumulative.columns - 1;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        const auto row = cumulative[configurations[i]];
        const double point = unit(raw[i]) * row[last];
        std::size_t level = 0;
        while (level < last && point >= row[level]) ++level;
        while (level > 0 && row[level] == row[level - 1]) --level;
        out[i] = static_cast<std::int16_t>(level);
    }
}

std::size_t normal_deviates(std::span<const std::uint64_t> raw, std::span<double> out) {
    std::size_t filled = 0;
    for (std::size_t i = 0; i + 1 < raw.size(); i += 2) {
        const double x = 2.0 * unit(raw[i]) - 1.0, y = 2.0 * unit(raw[i + 1]) - 1.0;
        const double s = x * x + y * y;
        if (s >= 1.0 || s == 0.0) continue;
        const double factor = std::sqrt(-2.0 * ln({s, 0.0}).hi / s);
        out[filled++] = x * factor;
        out[filled++] = y * factor;
    }
    return filled;
}

void exponential_deviates(std::span<const std::uint64_t> raw, std::span<double> out) {
    for (std::size_t i = 0; i < raw.size(); ++i) out[i] = -ln({1.0 - unit(raw[i]), 0.0}).hi;
}

}  // namespace stablebn
