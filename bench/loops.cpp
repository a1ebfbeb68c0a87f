// The simplest loops that do what bounds our counting and nothing else: bench/limits.py compiles them for the very
// machine it runs on, and measures the core beside them.
#include <bit>
#include <cstddef>
#include <cstdint>
#ifdef __AVX512VPOPCNTDQ__
#include <immintrin.h>
#endif

namespace {

constexpr int MASKS = 8;

}  // namespace

extern "C" {

/// AND, population count and sum of words that never come from memory; eight a turn, so that the loop costs little.
std::uint64_t count_bits(std::uint64_t words, const std::uint64_t* masks) {
    std::uint64_t total = 0;
#ifdef __AVX512VPOPCNTDQ__
    // By hand: compilers go by way of the 32 bits that std::popcount returns.
    __m512i mask[MASKS], sum[MASKS];
    for (int m = 0; m < MASKS; ++m) {
        mask[m] = _mm512_set1_epi64(static_cast<long long>(masks[m]));
        sum[m] = _mm512_setzero_si512();
    }
    __m512i word = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    for (std::uint64_t at = 0; at < words; at += 8) {
        for (int m = 0; m < MASKS; ++m) {
            sum[m] = _mm512_add_epi64(sum[m], _mm512_popcnt_epi64(_mm512_and_si512(word, mask[m])));
        }
        word = _mm512_add_epi64(word, _mm512_set1_epi64(8));
    }
    for (const __m512i own : sum) total += _mm512_reduce_add_epi64(own);
#else
    std::uint64_t sum[MASKS] = {};
    for (std::uint64_t word = 0; word < words; ++word) {
        for (int m = 0; m < MASKS; ++m) sum[m] += std::popcount(word & masks[m]);
    }
    for (const std::uint64_t own : sum) total += own;
#endif
    return total;
}

/// One increment a row, in the cells of what is known of it.
void increment(const std::uint16_t* groups, const std::uint8_t* codes, std::size_t rows, std::int32_t* cells) {
    for (std::size_t row = 0; row < rows; ++row) ++cells[std::size_t{groups[row]} * 256 + codes[row]];
}
}
