#include "random/generator.hpp"

namespace stablebn {

namespace {

// Stands for a family that is not allowed, in the key.
constexpr Wide NO_CHANGE = -(Wide{1} << 95);

}  // namespace

std::uint64_t mix(std::uint64_t number) {
    number ^= number >> 30;
    number *= 0xBF58476D1CE4E5B9U;
    number ^= number >> 27;
    number *= 0x94D049BB133111EBU;
    return number ^ number >> 31;
}

std::uint64_t Draws::next() { return mix(state_ += 0x9E3779B97F4A7C15U); }

int Draws::below(int count) {
    // The bias among 2**32 numbers is too small for a search to notice.
    return static_cast<int>((next() >> 32) * static_cast<std::uint64_t>(count) >> 32);
}

std::uint64_t key_of(FamilyScores& scores) {
    std::uint64_t key = 0;
    const auto changes = scores.first_changes();
    for (std::size_t v = 0; v < changes.rows; ++v) {
        for (const Fixed change : changes[v]) {
            const Wide units = is_candidate(change) ? change.units : NO_CHANGE;
            key = mix(key ^ static_cast<std::uint64_t>(units >> 32));
            key = mix(key ^ static_cast<std::uint64_t>(units & 0xFFFFFFFF));
        }
    }
    return key;
}

}  // namespace stablebn
