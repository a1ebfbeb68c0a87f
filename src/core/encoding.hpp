// From the indices of a dictionary to codes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "engine.hpp"

#if STABLEBN_X86
#include <immintrin.h>
#endif

namespace stablebn {

/// Mark the indices that occur; no further than until all do.
template <class Index>
void mark_occurring(std::span<const Index> indices, std::span<bool> occurs) {
    std::size_t missing = occurs.size();
    for (const Index index : indices) {
        bool& own = occurs[static_cast<std::size_t>(index)];
        if (own) continue;
        own = true;
        if (--missing == 0) return;
    }
}

#if STABLEBN_X86

/// The next sixteen indices, which are all below 16, as bytes.
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

/// Write the code of each index.
template <class Index, class Code>
void translate(std::span<const Index> indices, std::span<const Code> codes, Code* out) {
    std::size_t i = 0;
#if STABLEBN_X86
    if constexpr (sizeof(Code) == 1 && sizeof(Index) <= 4) {
        if (codes.size() <= 16) {
            // All codes in one register: sixteen rows are looked up at once.
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
    for (; i < indices.size(); ++i) out[i] = codes[static_cast<std::size_t>(indices[i])];
}

}  // namespace stablebn
