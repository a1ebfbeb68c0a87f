// Encode integers within a small range, such as dictionary indices, as codes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "runtime/engine.hpp"

#if STABLEBN_X86
#include <immintrin.h>
#endif

namespace stablebn {

/// Difference of an integer and a smaller or equal one, also for unsigned integers stored as signed.
template <class Index>
std::size_t above(Index index, std::int64_t least) {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(index) - static_cast<std::uint64_t>(least));
}

/// Mark which indices occur, by their difference from the least; stop soon after all have occurred.
template <class Index>
void mark_occurring(std::span<const Index> indices, std::int64_t least, std::span<bool> occurs) {
    constexpr std::size_t BLOCK = 1024;
    if (occurs.size() <= 64) {
        // One bit per index, so that no branch is needed.
        const std::uint64_t all = ~std::uint64_t{0} >> (64 - std::max<std::size_t>(occurs.size(), 1));
        std::uint64_t found = 0;
        for (std::size_t first = 0; first < indices.size() && found != all; first += BLOCK) {
            for (const Index index : indices.subspan(first, std::min(BLOCK, indices.size() - first))) {
                found |= std::uint64_t{1} << above(index, least);
            }
        }
        for (std::size_t place = 0; place < occurs.size(); ++place) occurs[place] = found >> place & 1;
        return;
    }
    std::size_t missing = occurs.size();
    for (const Index index : indices) {
        bool& own = occurs[above(index, least)];
        if (own) continue;
        own = true;
        if (--missing == 0) return;
    }
}

#if STABLEBN_X86

/// The next sixteen indices, all below 16, as bytes.
template <class Index>
__m128i sixteen_bytes(const Index* indices) {
    const auto* from = reinterpret_cast<const __m128i*>(indices);
    if constexpr (sizeof(Index) == 1) {
        return _mm_loadu_si128(from);
    } else if constexpr (sizeof(Index) == 2) {
        return _mm_packus_epi16(_mm_loadu_si128(from), _mm_loadu_si128(from + 1));
    } else {
        static_assert(sizeof(Index) == 4);
        const __m128i low = _mm_packs_epi32(_mm_loadu_si128(from), _mm_loadu_si128(from + 1));
        const __m128i high = _mm_packs_epi32(_mm_loadu_si128(from + 2), _mm_loadu_si128(from + 3));
        return _mm_packus_epi16(low, high);
    }
}

#endif

/// Write the code of each index, looked up by its difference from the least.
template <class Index, class Code>
void translate(std::span<const Index> indices, std::int64_t least, std::span<const Code> codes, Code* out) {
    std::size_t i = 0;
#if STABLEBN_X86
    if constexpr (sizeof(Code) == 1 && sizeof(Index) <= 4) {
        if (codes.size() <= 16 && least == 0) {
            // All codes fit one register: sixteen rows are looked up at once.
            alignas(16) std::uint8_t all[16] = {};
            std::copy(codes.begin(), codes.end(), all);
            const __m128i table = _mm_load_si128(reinterpret_cast<const __m128i*>(all));
            for (; i + 16 <= indices.size(); i += 16) {
                const __m128i found = _mm_shuffle_epi8(table, sixteen_bytes(indices.data() + i));
                _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i), found);
            }
        }
    }
#endif
    for (; i < indices.size(); ++i) out[i] = codes[above(indices[i], least)];
}

}  // namespace stablebn
