#include "counting/occurring_sets.hpp"

#include <algorithm>

namespace stablebn {

namespace {

// Limits: possible configurations of some variables, and words of the rows of those that occur.
constexpr double MOST_CONFIGURATIONS = 1 << 16;
constexpr std::size_t MOST_WORDS = std::size_t{1} << 18;

}  // namespace

bool OccurringSets::turn_to(std::span<const int> variables) {
    if (states(counts_.rows(), variables) > MOST_CONFIGURATIONS) return false;
    std::size_t same = 0;
    while (same < std::min(depth_, variables.size()) && beginnings_[same].variable == variables[same]) ++same;
    depth_ = same;
    for (const int v : variables.subspan(same)) {
        if (counts_.first(v) < 0) return false;
        if (depth_ == 0) {
            begin_with(v);
        } else if (!extend(v)) {
            return false;
        }
    }
    return depth_ > 0;
}

void OccurringSets::begin_with(int v) {
    if (beginnings_.empty()) beginnings_.emplace_back();
    Beginning& own = beginnings_.front();
    own.variable = v;
    own.codes.clear();
    own.sizes.clear();
    own.rows.clear();
    for (int level = 0; level < counts_.levels(v); ++level) {
        const auto place = static_cast<std::size_t>(counts_.first(v) + level);
        const auto size = static_cast<std::int32_t>(counts_.level_sizes()[place]);
        if (!size) continue;
        own.codes.push_back(static_cast<std::uint32_t>(level));
        own.sizes.push_back(size);
        own.rows.push_back(counts_.packed()[place]);
    }
    depth_ = 1;
}

bool OccurringSets::extend(int v) {
    if (depth_ == beginnings_.size()) beginnings_.emplace_back();
    const Beginning& shorter = last();
    Beginning& own = beginnings_[depth_];
    const PackedLevels& packed = counts_.packed();
    const std::size_t words = packed.words(), width = shorter.codes.size();
    const auto levels = static_cast<std::uint32_t>(counts_.levels(v));
    std::vector<const Word*> of_levels;
    for (std::uint32_t level = 0; level < levels; ++level) {
        of_levels.push_back(packed[static_cast<std::size_t>(counts_.first(v)) + level]);
    }
    met_.assign(levels * width, 0);
    add_common(of_levels, shorter.rows, words, met_.data(), width);
    const auto occur = static_cast<std::size_t>(std::ranges::count_if(met_, [](std::int32_t met) { return met > 0; }));
    if (occur * words > MOST_WORDS) return false;
    own.variable = v;
    own.codes.resize(occur);
    own.sizes.resize(occur);
    own.rows.resize(occur);
    own.bits.resize(occur * words);
    std::size_t at = 0;
    for (std::size_t k = 0; k < width; ++k) {
        for (std::uint32_t level = 0; level < levels; ++level) {
            const std::int32_t met = met_[level * width + k];
            if (!met) continue;
            own.codes[at] = shorter.codes[k] * levels + level;
            own.sizes[at] = met;
            Word* const both = own.bits.data() + at * words;
            const Word *one = shorter.rows[k], *other = of_levels[level];
            for (std::size_t w = 0; w < words; ++w) both[w] = one[w] & other[w];
            own.rows[at++] = both;
        }
    }
    ++depth_;
    return true;
}

std::size_t OccurringSets::group_without(std::size_t place, std::span<std::uint32_t> groups) {
    std::uint32_t stride = 1;
    for (std::size_t later = place + 1; later < depth_; ++later) {
        stride *= static_cast<std::uint32_t>(counts_.levels(beginnings_[later].variable));
    }
    const auto levels = static_cast<std::uint32_t>(counts_.levels(beginnings_[place].variable));
    const std::span<const std::uint32_t> codes = last().codes;
    if (codes.back() >= written_.size()) {
        group_.resize(codes.back() + 1);
        written_.resize(codes.back() + 1);
    }
    ++now_;
    std::uint32_t found = 0;
    for (std::size_t k = 0; k < codes.size(); ++k) {
        const std::uint32_t without = codes[k] - codes[k] / stride % levels * stride;
        if (written_[without] != now_) {
            written_[without] = now_;
            group_[without] = found++;
        }
        groups[k] = group_[without];
    }
    return found;
}

}  // namespace stablebn
