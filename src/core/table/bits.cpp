#include "table/bits.hpp"

#include <algorithm>
#include <utility>

#include "runtime/pool.hpp"
#include "runtime/scratch.hpp"

namespace stablebn {

namespace {

// Words of all sets in progress: they fit the second-level cache.
constexpr std::size_t WORDS_AT_ONCE = 1 << 16;
constexpr std::size_t WORDS_OF_A_LINE = 8;
constexpr std::size_t SHORTEST_BLOCK = 64;
constexpr std::size_t LONGEST_BLOCK = 1024;
// Words of a level that are packed at once.
constexpr std::size_t LONGEST_STRETCH = 4096;
// Measured: nanoseconds per row and level.
constexpr double ROW_TO_BIT = 1.0 / 30;

/// Write a range of words of a level; only the last word may be partial.
void pack_level(Column column, WordRange range, std::size_t rows, int level, Word* bits) {
    const std::size_t whole = std::min(range.end, rows / WORD) - range.begin;
    rows -= range.begin * WORD;
    Word* out = bits + range.begin;
    with_codes(column, [&](const auto* all) {
        const auto* codes = all + range.begin * WORD;
        if constexpr (sizeof(*codes) == 1) {
            kernels().pack_bytes(codes, whole, static_cast<std::uint8_t>(level), out);
        } else {
            for (std::size_t w = 0; w < whole; ++w) {
                Word word = 0;
                for (std::size_t j = 0; j < WORD; ++j) word |= Word{codes[w * WORD + j] == level} << j;
                out[w] = word;
            }
        }
        if (range.begin + whole < range.end) {
            Word word = 0;
            for (std::size_t i = whole * WORD; i < rows; ++i) word |= Word{codes[i] == level} << (i - whole * WORD);
            out[whole] = word;
        }
    });
}

}  // namespace

void pack(Column column, std::size_t rows, int levels, Word* out) {
    const WordRange all{0, (rows + WORD - 1) / WORD};
    for (int level = 0; level < levels; ++level) {
        pack_level(column, all, rows, level, out + static_cast<std::size_t>(level) * all.end);
    }
}

PackedLevels::PackedLevels(const Rows& rows, std::span<const int> first, int height, Pool& pool) {
    const auto made = std::make_shared<Matrix<Word>>(
        Matrix<Word>::unwritten(static_cast<std::size_t>(height), (rows.count + WORD - 1) / WORD));
    Matrix<Word>& bits = *made;
    bits_ = std::as_const(bits).view();
    own_ = made;
    std::vector<int> variables;
    for (int v = 0; v < rows.variables(); ++v) {
        if (first[static_cast<std::size_t>(v)] >= 0) variables.push_back(v);
    }
    const double cost = ROW_TO_BIT * static_cast<double>(rows.count) * height;
    // Levels differ in number: divided by ranges of rows, threads have equal work.
    const std::size_t stretches = words() / LONGEST_STRETCH + 1;
    pool.share(variables.size() * stretches, cost, [&](std::size_t part) {
        const auto v = static_cast<std::size_t>(variables[part / stretches]);
        const std::size_t stretch = part % stretches;
        const WordRange range{words() * stretch / stretches, words() * (stretch + 1) / stretches};
        for (int level = 0; level < rows.levels[v]; ++level) {
            pack_level(rows.columns[v], range, rows.count, level, bits[static_cast<std::size_t>(first[v] + level)].data());
        }
    });
}

void add_common(std::span<const Word* const> levels, std::span<const Word* const> sets, std::size_t words,
                std::int32_t* out, std::size_t stride) {
    const Kernels& use = kernels();
    std::int64_t found[8];
    const std::size_t fours = sets.size() / 4 * 4, pairs = levels.size() / 2 * 2;
    const auto add = [&](std::size_t level, std::size_t set, std::int64_t size) {
        out[level * stride + set] += static_cast<std::int32_t>(size);
    };
    for (std::size_t m = 0; m < pairs; m += 2) {
        for (std::size_t k = 0; k < fours; k += 4) {
            use.common_two_by_four(&levels[m], &sets[k], words, found);
            for (std::size_t i = 0; i < 4; ++i) add(m, k + i, found[i]), add(m + 1, k + i, found[4 + i]);
        }
    }
    for (std::size_t m = pairs; m < levels.size(); ++m) {
        for (std::size_t k = 0; k < fours; k += 4) {
            use.common_one_by_four(levels[m], &sets[k], words, found);
            for (std::size_t i = 0; i < 4; ++i) add(m, k + i, found[i]);
        }
    }
    // The remaining sets, by four levels.
    const std::size_t quads = levels.size() / 4 * 4;
    for (std::size_t k = fours; k < sets.size(); k += 2) {
        const bool two = k + 1 < sets.size();
        for (std::size_t m = 0; m < quads; m += 4) {
            if (two) {
                use.common_two_by_four(&sets[k], &levels[m], words, found);
                for (std::size_t i = 0; i < 4; ++i) add(m + i, k, found[i]), add(m + i, k + 1, found[4 + i]);
            } else {
                use.common_one_by_four(sets[k], &levels[m], words, found);
                for (std::size_t i = 0; i < 4; ++i) add(m + i, k, found[i]);
            }
        }
        for (std::size_t m = quads; m < levels.size(); ++m) {
            add(m, k, use.common(sets[k], levels[m], words));
            if (two) add(m, k + 1, use.common(sets[k + 1], levels[m], words));
        }
    }
}

void add_common(const PackedLevels& packed, WordRange range, MatrixView<const int> configurations,
                std::span<const int> levels, MatrixView<std::int32_t> out) {
    const std::size_t count = configurations.rows, words = range.end - range.begin, members = configurations.columns;
    if (!count || levels.empty()) return;
    const std::size_t block =
        std::max(SHORTEST_BLOCK, std::min({LONGEST_BLOCK, WORDS_AT_ONCE / std::max(count, std::size_t{1}), words}));
    // One level is its own set and need not be computed.
    thread_local Scratch<Word> scratch;
    // Every set starts on a cache line, and no two are a multiple of a page apart, because they would evict each other
    // from the first-level cache.
    const std::size_t stride = (block + WORDS_OF_A_LINE - 1) / WORDS_OF_A_LINE * WORDS_OF_A_LINE + WORDS_OF_A_LINE;
    const auto made = scratch.take(members > 1 ? count * stride : 0);
    std::vector<const Word*> sets(count), some(levels.size());
    for (std::size_t start = range.begin; start < range.end; start += block) {
        const std::size_t size = std::min(range.end - start, block);
        for (std::size_t k = 0; k < count; ++k) {
            const Word* first = packed[static_cast<std::size_t>(configurations(k, 0))] + start;
            if (members == 1) {
                sets[k] = first;
                continue;
            }
            Word* own = made.data() + k * stride;
            const Word* second = packed[static_cast<std::size_t>(configurations(k, 1))] + start;
            for (std::size_t w = 0; w < size; ++w) own[w] = first[w] & second[w];
            for (std::size_t p = 2; p < members; ++p) {
                const Word* level = packed[static_cast<std::size_t>(configurations(k, p))] + start;
                for (std::size_t w = 0; w < size; ++w) own[w] &= level[w];
            }
            sets[k] = own;
        }
        for (std::size_t m = 0; m < levels.size(); ++m) some[m] = packed[static_cast<std::size_t>(levels[m])] + start;
        add_common(some, sets, size, out.data, out.columns);
    }
}

}  // namespace stablebn
