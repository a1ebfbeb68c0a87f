// Which instructions the heavy loops use: chosen when the program starts, or forced. The answers are the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#if defined(__x86_64__) || defined(_M_X64)
#define STABLEBN_X86 1
#else
#define STABLEBN_X86 0
#endif

namespace stablebn {

/// The loops that have a form for each set of instructions.
struct Kernels {
    /// Sizes of the intersections of sets x, y with sets a, b, c, d, in this order: ax, bx, cx, dx, ay, ...
    void (*common_two_by_four)(const std::uint64_t* const* two, const std::uint64_t* const* four, std::size_t words,
                               std::int64_t* out);
    void (*common_one_by_four)(const std::uint64_t* one, const std::uint64_t* const* four, std::size_t words,
                               std::int64_t* out);
    std::int64_t (*common)(const std::uint64_t* a, const std::uint64_t* b, std::size_t words);
    /// The bits of the rows with a level: whole words only.
    void (*pack_bytes)(const std::uint8_t* codes, std::size_t words, std::uint8_t level, std::uint64_t* out);
    /// Cut numbers below 1/2 into the next 25 bits, rounded to the nearest integer, ties to even; and what is left.
    void (*slice)(double* rest, std::size_t size, std::int32_t* out);
    /// Inner products of rows x, y with rows a, b, c, d, in the order above.
    void (*products_two_by_four)(const std::int32_t* const* two, const std::int32_t* const* four, std::size_t size,
                                 std::int64_t* out);
};

/// The loops in use.
const Kernels& kernels();

/// Names of the engines that this machine can run, the slowest first: "portable", "avx2", "avx512".
std::vector<std::string> engines();

/// Name of the engine in use.
std::string engine();

/// Use the engine of this name from now on; false if this machine has no such engine. Also set by the environment
/// variable STABLEBN_ENGINE when the program starts.
bool use_engine(const std::string& name);

}  // namespace stablebn
