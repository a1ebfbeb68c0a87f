#include "standin.hpp"

#include <bit>
#include <cstddef>
#include <stdexcept>
#include <thread>
#include <vector>

namespace stablebn {

const char* engine() { return "portable"; }

std::int64_t count_bits(std::span<const std::uint64_t> words, int threads) {
    if (threads < 1) throw std::invalid_argument("threads must be at least 1");
    const auto parts = static_cast<std::size_t>(threads);
    std::vector<std::int64_t> counts(parts, 0);
    std::vector<std::thread> pool;
    for (std::size_t part = 0; part < parts; ++part) {
        pool.emplace_back([&, part] {
            for (std::size_t i = words.size() * part / parts; i < words.size() * (part + 1) / parts; ++i) {
                counts[part] += std::popcount(words[i]);
            }
        });
    }
    for (auto& thread : pool) thread.join();
    std::int64_t total = 0;
    for (const auto count : counts) total += count;
    return total;
}

}  // namespace stablebn
