// The loops that use vector instructions, per instruction set. The engine is chosen when the program starts, or set by
// name. All engines return the same integers.
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

/// Function pointers to the loops of one instruction set.
struct Kernels {
    /// Sizes of the intersections of sets x, y with sets a, b, c, d, in this order: ax, bx, cx, dx, ay, ...
    void (*common_two_by_four)(const std::uint64_t* const* two, const std::uint64_t* const* four, std::size_t words,
                               std::int64_t* out);
    void (*common_one_by_four)(const std::uint64_t* one, const std::uint64_t* const* four, std::size_t words,
                               std::int64_t* out);
    std::int64_t (*common)(const std::uint64_t* a, const std::uint64_t* b, std::size_t words);
    /// Write the rows with a level as bits; whole words only.
    void (*pack_bytes)(const std::uint8_t* codes, std::size_t words, std::uint8_t level, std::uint64_t* out);
    /// Round numbers below 1/2 to integers of 25 bits (nearest, ties to even) and leave the remainder for the next
    /// slice.
    void (*slice)(double* rest, std::size_t size, std::int32_t* out);
    /// Inner products of rows x, y with rows a, b, c, d, in the order above.
    void (*products_two_by_four)(const std::int32_t* const* two, const std::int32_t* const* four, std::size_t size,
                                 std::int64_t* out);
};

/// The loops in use.
const Kernels& kernels();

/// Names of the engines that this machine can run, slowest first: "portable", "avx2", "avx512".
std::vector<std::string> engines();

/// Name of the engine in use.
std::string engine();

/// Use the engine of this name from now on; false if this machine cannot run it. The environment variable
/// STABLEBN_ENGINE sets it when the program starts.
bool use_engine(const std::string& name);

}  // namespace stablebn
