// Stands in for the tests of the core's threads: delete it with src/core/standin.cpp.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "standin.hpp"

int main() {
    const std::vector<std::uint64_t> words(10'000, 0xff);
    for (int threads = 1; threads <= 8; ++threads) {
        const auto count = stablebn::count_bits(words, threads);
        if (count != 80'000) {
            std::printf("%d threads counted %lld bits of 80000\n", threads, static_cast<long long>(count));
            return 1;
        }
    }
    std::puts("native tests passed");
    return 0;
}
