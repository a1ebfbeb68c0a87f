#include "runtime/engine.hpp"

#include <atomic>
#include <bit>
#include <cstdlib>
#include <utility>

#if STABLEBN_X86
#include <cpuid.h>
#include <immintrin.h>
#endif

// Intrinsics with target attributes, in one file: no inline function can leak from one instruction set to another.
#define AVX2 __attribute__((target("avx2,popcnt")))
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,popcnt")))

namespace stablebn {

namespace {

using Word = std::uint64_t;

// Only basic operations, so that every instruction set gives the same bits; each engine compiles its own copy. Adding
// and subtracting a large number rounds to the nearest integer, ties to even.
inline __attribute__((always_inline)) void slice_numbers(double* rest, std::size_t size, std::int32_t* out) {
    constexpr double scale = 1 << 25;
    constexpr double rounder = 3.0 * (std::int64_t{1} << 51);
    for (std::size_t i = 0; i < size; ++i) {
        const double scaled = rest[i] * scale;
        const double part = (scaled + rounder) - rounder;
        rest[i] = scaled - part;
        out[i] = static_cast<std::int32_t>(part);
    }
}

namespace portable {

void slice(double* rest, std::size_t size, std::int32_t* out) { slice_numbers(rest, size, out); }

std::int64_t common(const Word* a, const Word* b, std::size_t words) {
    std::int64_t both = 0;
    for (std::size_t w = 0; w < words; ++w) both += std::popcount(a[w] & b[w]);
    return both;
}

void common_one_by_four(const Word* one, const Word* const* four, std::size_t words, std::int64_t* out) {
    const Word *a = four[0], *b = four[1], *c = four[2], *d = four[3];
    std::int64_t xa = 0, xb = 0, xc = 0, xd = 0;
    for (std::size_t w = 0; w < words; ++w) {
        const Word x = one[w];
        xa += std::popcount(x & a[w]);
        xb += std::popcount(x & b[w]);
        xc += std::popcount(x & c[w]);
        xd += std::popcount(x & d[w]);
    }
    out[0] = xa, out[1] = xb, out[2] = xc, out[3] = xd;
}

void common_two_by_four(const Word* const* two, const Word* const* four, std::size_t words, std::int64_t* out) {
    common_one_by_four(two[0], four, words, out);
    common_one_by_four(two[1], four, words, out + 4);
}

void pack_bytes(const std::uint8_t* codes, std::size_t words, std::uint8_t level, Word* out) {
    for (std::size_t w = 0; w < words; ++w, codes += 64) {
#if STABLEBN_X86
        const __m128i wanted = _mm_set1_epi8(static_cast<char>(level));
        Word word = 0;
        for (int part = 0; part < 4; ++part) {
            const __m128i some = _mm_loadu_si128(reinterpret_cast<const __m128i*>(codes) + part);
            word |= Word{static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(some, wanted)))} << (16 * part);
        }
#else
        Word word = 0;
        for (int j = 0; j < 64; ++j) word |= Word{codes[j] == level} << j;
#endif
        out[w] = word;
    }
}

void products_two_by_four(const std::int32_t* const* two, const std::int32_t* const* four, std::size_t size,
                          std::int64_t* out) {
    for (int i = 0; i < 2; ++i) {
        const std::int32_t* x = two[i];
        const std::int32_t *a = four[0], *b = four[1], *c = four[2], *d = four[3];
        std::int64_t xa = 0, xb = 0, xc = 0, xd = 0;
        for (std::size_t k = 0; k < size; ++k) {
            const std::int64_t own = x[k];
            xa += own * a[k];
            xb += own * b[k];
            xc += own * c[k];
            xd += own * d[k];
        }
        out[4 * i] = xa, out[4 * i + 1] = xb, out[4 * i + 2] = xc, out[4 * i + 3] = xd;
    }
}

constexpr Kernels kernels{common_two_by_four, common_one_by_four, common, pack_bytes, slice, products_two_by_four};

}  // namespace portable

#if STABLEBN_X86

namespace avx2 {

/// Number of set bits in each byte of a vector, by a table of half bytes (Mula).
AVX2 inline __m256i bits_of_bytes(__m256i v) {
    const __m256i lookup = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1,
                                            2, 2, 3, 2, 3, 3, 4);
    const __m256i mask = _mm256_set1_epi8(0x0F);
    const __m256i low = _mm256_shuffle_epi8(lookup, _mm256_and_si256(v, mask));
    const __m256i high = _mm256_shuffle_epi8(lookup, _mm256_and_si256(_mm256_srli_epi16(v, 4), mask));
    return _mm256_add_epi8(low, high);
}

AVX2 inline std::int64_t sum_of_lanes(__m256i v) {
    alignas(32) std::int64_t lanes[4];
    _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), v);
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

AVX2 inline __m256i load(const Word* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }

AVX2 std::int64_t common(const Word* a, const Word* b, std::size_t words) {
    const __m256i zero = _mm256_setzero_si256();
    __m256i total = zero;
    const std::size_t whole = words / 4 * 4;
    std::size_t w = 0;
    while (w < whole) {
        __m256i bytes = zero;
        // A byte holds 31 times 8 bits.
        for (const std::size_t stop = whole - w > 124 ? w + 124 : whole; w < stop; w += 4) {
            bytes = _mm256_add_epi8(bytes, bits_of_bytes(_mm256_and_si256(load(a + w), load(b + w))));
        }
        total = _mm256_add_epi64(total, _mm256_sad_epu8(bytes, zero));
    }
    return sum_of_lanes(total) + portable::common(a + whole, b + whole, words - whole);
}

AVX2 void common_one_by_four(const Word* one, const Word* const* four, std::size_t words, std::int64_t* out) {
    const __m256i zero = _mm256_setzero_si256();
    const Word *a = four[0], *b = four[1], *c = four[2], *d = four[3];
    __m256i xa = zero, xb = zero, xc = zero, xd = zero;
    const std::size_t whole = words / 4 * 4;
    std::size_t w = 0;
    while (w < whole) {
        __m256i ba = zero, bb = zero, bc = zero, bd = zero;
        for (const std::size_t stop = whole - w > 124 ? w + 124 : whole; w < stop; w += 4) {
            const __m256i x = load(one + w);
            ba = _mm256_add_epi8(ba, bits_of_bytes(_mm256_and_si256(x, load(a + w))));
            bb = _mm256_add_epi8(bb, bits_of_bytes(_mm256_and_si256(x, load(b + w))));
            bc = _mm256_add_epi8(bc, bits_of_bytes(_mm256_and_si256(x, load(c + w))));
            bd = _mm256_add_epi8(bd, bits_of_bytes(_mm256_and_si256(x, load(d + w))));
        }
        xa = _mm256_add_epi64(xa, _mm256_sad_epu8(ba, zero));
        xb = _mm256_add_epi64(xb, _mm256_sad_epu8(bb, zero));
        xc = _mm256_add_epi64(xc, _mm256_sad_epu8(bc, zero));
        xd = _mm256_add_epi64(xd, _mm256_sad_epu8(bd, zero));
    }
    const Word* rest[4] = {a + whole, b + whole, c + whole, d + whole};
    portable::common_one_by_four(one + whole, rest, words - whole, out);
    out[0] += sum_of_lanes(xa), out[1] += sum_of_lanes(xb), out[2] += sum_of_lanes(xc), out[3] += sum_of_lanes(xd);
}

AVX2 void common_two_by_four(const Word* const* two, const Word* const* four, std::size_t words, std::int64_t* out) {
    common_one_by_four(two[0], four, words, out);
    common_one_by_four(two[1], four, words, out + 4);
}

AVX2 void slice(double* rest, std::size_t size, std::int32_t* out) { slice_numbers(rest, size, out); }

AVX2 void pack_bytes(const std::uint8_t* codes, std::size_t words, std::uint8_t level, Word* out) {
    const __m256i wanted = _mm256_set1_epi8(static_cast<char>(level));
    for (std::size_t w = 0; w < words; ++w, codes += 64) {
        const auto* some = reinterpret_cast<const __m256i*>(codes);
        const auto low = static_cast<std::uint32_t>(
            _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256(some), wanted)));
        const auto high = static_cast<std::uint32_t>(
            _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256(some + 1), wanted)));
        out[w] = Word{low} | Word{high} << 32;
    }
}

AVX2 inline __m256i load(const std::int32_t* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }

/// Products with numbers given as even and odd elements, added in pairs.
AVX2 inline __m256i products(__m256i even, __m256i odd, const std::int32_t* row) {
    const __m256i own = load(row);
    return _mm256_add_epi64(_mm256_mul_epi32(even, own), _mm256_mul_epi32(odd, _mm256_srli_epi64(own, 32)));
}

/// Eight numbers of a row at once: products use the lower halves of 64 bits, and the upper halves are shifted there.
AVX2 void products_two_by_four(const std::int32_t* const* two, const std::int32_t* const* four, std::size_t size,
                               std::int64_t* out) {
    const std::size_t whole = size / 8 * 8;
    const std::int32_t* rest_of_two[2] = {two[0] + whole, two[1] + whole};
    const std::int32_t* rest_of_four[4] = {four[0] + whole, four[1] + whole, four[2] + whole, four[3] + whole};
    portable::products_two_by_four(rest_of_two, rest_of_four, size - whole, out);
    for (int i = 0; i < 2; ++i) {
        const std::int32_t* x = two[i];
        __m256i xa = _mm256_setzero_si256(), xb = xa, xc = xa, xd = xa;
        for (std::size_t k = 0; k < whole; k += 8) {
            const __m256i own = load(x + k), other = _mm256_srli_epi64(own, 32);
            xa = _mm256_add_epi64(xa, products(own, other, four[0] + k));
            xb = _mm256_add_epi64(xb, products(own, other, four[1] + k));
            xc = _mm256_add_epi64(xc, products(own, other, four[2] + k));
            xd = _mm256_add_epi64(xd, products(own, other, four[3] + k));
        }
        out[4 * i] += sum_of_lanes(xa), out[4 * i + 1] += sum_of_lanes(xb);
        out[4 * i + 2] += sum_of_lanes(xc), out[4 * i + 3] += sum_of_lanes(xd);
    }
}

constexpr Kernels kernels{common_two_by_four, common_one_by_four, common, pack_bytes, slice, products_two_by_four};

}  // namespace avx2

namespace avx512 {

// g++ 12 warns about its own header: the unused source of a masked operation.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

/// A mask of the first `count` of eight lanes.
inline __mmask8 lanes(std::size_t count) { return static_cast<__mmask8>((1U << count) - 1U); }

AVX512 std::int64_t common(const Word* a, const Word* b, std::size_t words) {
    __m512i total = _mm512_setzero_si512();
    for (std::size_t w = 0; w < words; w += 8) {
        const __mmask8 mask = words - w < 8 ? lanes(words - w) : 0xFF;
        const __m512i both =
            _mm512_and_si512(_mm512_maskz_loadu_epi64(mask, a + w), _mm512_maskz_loadu_epi64(mask, b + w));
        total = _mm512_add_epi64(total, _mm512_popcnt_epi64(both));
    }
    return _mm512_reduce_add_epi64(total);
}

AVX512 void common_one_by_four(const Word* one, const Word* const* four, std::size_t words, std::int64_t* out) {
    const Word *a = four[0], *b = four[1], *c = four[2], *d = four[3];
    __m512i xa = _mm512_setzero_si512(), xb = xa, xc = xa, xd = xa;
    for (std::size_t w = 0; w < words; w += 8) {
        const __mmask8 mask = words - w < 8 ? lanes(words - w) : 0xFF;
        const __m512i x = _mm512_maskz_loadu_epi64(mask, one + w);
        const auto bits = [x, mask, w](const Word* set) AVX512 {
            return _mm512_popcnt_epi64(_mm512_and_si512(x, _mm512_maskz_loadu_epi64(mask, set + w)));
        };
        xa = _mm512_add_epi64(xa, bits(a));
        xb = _mm512_add_epi64(xb, bits(b));
        xc = _mm512_add_epi64(xc, bits(c));
        xd = _mm512_add_epi64(xd, bits(d));
    }
    out[0] = _mm512_reduce_add_epi64(xa), out[1] = _mm512_reduce_add_epi64(xb);
    out[2] = _mm512_reduce_add_epi64(xc), out[3] = _mm512_reduce_add_epi64(xd);
}

AVX512 void common_two_by_four(const Word* const* two, const Word* const* four, std::size_t words, std::int64_t* out) {
    const Word *x = two[0], *y = two[1], *a = four[0], *b = four[1], *c = four[2], *d = four[3];
    __m512i xa = _mm512_setzero_si512(), xb = xa, xc = xa, xd = xa, ya = xa, yb = xa, yc = xa, yd = xa;
    const auto step = [&](__mmask8 mask, std::size_t w) AVX512 {
        const __m512i first = _mm512_maskz_loadu_epi64(mask, x + w), second = _mm512_maskz_loadu_epi64(mask, y + w);
        const __m512i in_a = _mm512_maskz_loadu_epi64(mask, a + w), in_b = _mm512_maskz_loadu_epi64(mask, b + w);
        const __m512i in_c = _mm512_maskz_loadu_epi64(mask, c + w), in_d = _mm512_maskz_loadu_epi64(mask, d + w);
        xa = _mm512_add_epi64(xa, _mm512_popcnt_epi64(_mm512_and_si512(first, in_a)));
        xb = _mm512_add_epi64(xb, _mm512_popcnt_epi64(_mm512_and_si512(first, in_b)));
        xc = _mm512_add_epi64(xc, _mm512_popcnt_epi64(_mm512_and_si512(first, in_c)));
        xd = _mm512_add_epi64(xd, _mm512_popcnt_epi64(_mm512_and_si512(first, in_d)));
        ya = _mm512_add_epi64(ya, _mm512_popcnt_epi64(_mm512_and_si512(second, in_a)));
        yb = _mm512_add_epi64(yb, _mm512_popcnt_epi64(_mm512_and_si512(second, in_b)));
        yc = _mm512_add_epi64(yc, _mm512_popcnt_epi64(_mm512_and_si512(second, in_c)));
        yd = _mm512_add_epi64(yd, _mm512_popcnt_epi64(_mm512_and_si512(second, in_d)));
    };
    const std::size_t whole = words / 8 * 8;
    for (std::size_t w = 0; w < whole; w += 8) step(0xFF, w);
    if (whole < words) step(lanes(words - whole), whole);
    out[0] = _mm512_reduce_add_epi64(xa), out[1] = _mm512_reduce_add_epi64(xb);
    out[2] = _mm512_reduce_add_epi64(xc), out[3] = _mm512_reduce_add_epi64(xd);
    out[4] = _mm512_reduce_add_epi64(ya), out[5] = _mm512_reduce_add_epi64(yb);
    out[6] = _mm512_reduce_add_epi64(yc), out[7] = _mm512_reduce_add_epi64(yd);
}

AVX512 void slice(double* rest, std::size_t size, std::int32_t* out) { slice_numbers(rest, size, out); }

AVX512 void pack_bytes(const std::uint8_t* codes, std::size_t words, std::uint8_t level, Word* out) {
    const __m512i wanted = _mm512_set1_epi8(static_cast<char>(level));
    for (std::size_t w = 0; w < words; ++w, codes += 64) out[w] = _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(codes), wanted);
}

/// Sixteen numbers of a row at once: products use the lower halves of 64 bits, and the upper halves are shifted there.
AVX512 void products_two_by_four(const std::int32_t* const* two, const std::int32_t* const* four, std::size_t size,
                                 std::int64_t* out) {
    const std::int32_t *x = two[0], *y = two[1], *a = four[0], *b = four[1], *c = four[2], *d = four[3];
    __m512i xa = _mm512_setzero_si512(), xb = xa, xc = xa, xd = xa, ya = xa, yb = xa, yc = xa, yd = xa;
    const auto multiply = [&](__m512i own, __m512i other, __m512i in_a, __m512i in_b, __m512i in_c, __m512i in_d) AVX512 {
        xa = _mm512_add_epi64(xa, _mm512_mul_epi32(own, in_a));
        xb = _mm512_add_epi64(xb, _mm512_mul_epi32(own, in_b));
        xc = _mm512_add_epi64(xc, _mm512_mul_epi32(own, in_c));
        xd = _mm512_add_epi64(xd, _mm512_mul_epi32(own, in_d));
        ya = _mm512_add_epi64(ya, _mm512_mul_epi32(other, in_a));
        yb = _mm512_add_epi64(yb, _mm512_mul_epi32(other, in_b));
        yc = _mm512_add_epi64(yc, _mm512_mul_epi32(other, in_c));
        yd = _mm512_add_epi64(yd, _mm512_mul_epi32(other, in_d));
    };
    const std::size_t whole = size / 16 * 16;
    for (std::size_t k = 0; k < whole; k += 16) {
        const __m512i in_x = _mm512_loadu_si512(x + k), in_y = _mm512_loadu_si512(y + k);
        const __m512i in_a = _mm512_loadu_si512(a + k), in_b = _mm512_loadu_si512(b + k);
        const __m512i in_c = _mm512_loadu_si512(c + k), in_d = _mm512_loadu_si512(d + k);
        multiply(in_x, in_y, in_a, in_b, in_c, in_d);
        multiply(_mm512_srli_epi64(in_x, 32), _mm512_srli_epi64(in_y, 32), _mm512_srli_epi64(in_a, 32),
                 _mm512_srli_epi64(in_b, 32), _mm512_srli_epi64(in_c, 32), _mm512_srli_epi64(in_d, 32));
    }
    const std::int32_t* rest_of_two[2] = {x + whole, y + whole};
    const std::int32_t* rest_of_four[4] = {a + whole, b + whole, c + whole, d + whole};
    portable::products_two_by_four(rest_of_two, rest_of_four, size - whole, out);
    out[0] += _mm512_reduce_add_epi64(xa), out[1] += _mm512_reduce_add_epi64(xb);
    out[2] += _mm512_reduce_add_epi64(xc), out[3] += _mm512_reduce_add_epi64(xd);
    out[4] += _mm512_reduce_add_epi64(ya), out[5] += _mm512_reduce_add_epi64(yb);
    out[6] += _mm512_reduce_add_epi64(yc), out[7] += _mm512_reduce_add_epi64(yd);
}

constexpr Kernels kernels{common_two_by_four, common_one_by_four, common, pack_bytes, slice, products_two_by_four};

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

}  // namespace avx512

/// The engines that processor and operating system support. Not __builtin_cpu_supports, which does not link with zig.
struct Processor {
    bool avx2 = false;
    bool avx512 = false;

    Processor() {
        unsigned a = 0, b = 0, c = 0, d = 0;
        if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 27 & 1)) return;  // OSXSAVE: the system saves wide registers
        unsigned low = 0, high = 0;
        __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return;
        avx2 = (low & 0x6) == 0x6 && (b >> 5 & 1);
        const bool foundation = (b >> 16 & 1) && (b >> 17 & 1) && (b >> 30 & 1) && (b >> 31 & 1);  // F, DQ, BW, VL
        avx512 = avx2 && (low & 0xE6) == 0xE6 && foundation && (c >> 14 & 1);                      // VPOPCNTDQ
    }
};

#endif

std::vector<std::pair<std::string, const Kernels*>> available() {
    std::vector<std::pair<std::string, const Kernels*>> found{{"portable", &portable::kernels}};
#if STABLEBN_X86
    const Processor processor;
    if (processor.avx2) found.emplace_back("avx2", &avx2::kernels);
    if (processor.avx512) found.emplace_back("avx512", &avx512::kernels);
#endif
    return found;
}

const Kernels* at_the_start() {
    const auto found = available();
    if (const char* wanted = std::getenv("STABLEBN_ENGINE")) {
        for (const auto& [name, kernels] : found) {
            if (name == wanted) return kernels;
        }
    }
    return found.back().second;
}

std::atomic<const Kernels*> in_use{at_the_start()};

}  // namespace

const Kernels& kernels() { return *in_use.load(std::memory_order_relaxed); }

std::vector<std::string> engines() {
    std::vector<std::string> names;
    for (const auto& [name, kernels] : available()) names.push_back(name);
    return names;
}

std::string engine() {
    for (const auto& [name, own] : available()) {
        if (own == &kernels()) return name;
    }
    return {};
}

bool use_engine(const std::string& name) {
    for (const auto& [known, own] : available()) {
        if (known == name) {
            in_use.store(own, std::memory_order_relaxed);
            return true;
        }
    }
    return false;
}

}  // namespace stablebn
