#include "counting/all_sets.hpp"

#include <algorithm>
#include <utility>

namespace stablebn {

namespace {

// Nanoseconds per row to count a top set, and per cell to add and to sum.
constexpr double COST_OF_ROW = 1.6;
constexpr double COST_OF_CELL = 1.5;

}  // namespace

AllSets::AllSets(const Rows& rows, int most_members, std::int64_t most_cells)
    : rows_(rows), n_(rows.variables()), most_members_(std::min(most_members, n_)), most_cells_(most_cells) {
    choose_.assign(static_cast<std::size_t>(n_) + 1, std::vector<std::size_t>(static_cast<std::size_t>(most_members_) + 2, 0));
    for (int m = 0; m <= n_; ++m) {
        choose_[m][0] = 1;
        for (int k = 1; k <= most_members_ + 1 && m > 0; ++k) choose_[m][k] = choose_[m - 1][k - 1] + choose_[m - 1][k];
    }
    for (int k = 0; k <= most_members_; ++k) {
        first_of_size_.push_back(size_);
        size_ += choose_[n_][k];
    }
}

std::size_t AllSets::place_of(const VariableSet& set) const {
    std::size_t place = first_of_size_[set.size()];
    for (std::size_t at = 0; at < set.size(); ++at) place += choose_[set[at]][at + 1];
    return place;
}

bool AllSets::is_top(std::span<const int> members, std::int64_t cells) const {
    if (static_cast<int>(members.size()) == most_members_) return true;
    int lowest = 0;
    while (lowest < static_cast<int>(members.size()) && members[lowest] == lowest) ++lowest;
    return lowest == n_ || cells * rows_.levels[lowest] > most_cells_;
}

/// Visits all sets depth first, by ascending members; the configurations of the rows are computed when a top set needs
/// them.
struct AllSets::Walk {
    const AllSets& sets;
    std::vector<int> members;
    /// By number of members: the configuration of every row, the last member fastest; and whether it is computed.
    std::vector<std::vector<std::uint32_t>> configurations;
    std::vector<std::uint8_t> made;
    /// Counts of the top set and of the sets with fewer members, one after the other.
    std::vector<std::vector<std::int64_t>> counts;

    explicit Walk(const AllSets& all)
        : sets(all),
          configurations(static_cast<std::size_t>(all.most_members_) + 1),
          made(static_cast<std::size_t>(all.most_members_) + 1, 0),
          counts(static_cast<std::size_t>(all.most_members_) + 1) {}

    /// Call a function with each top set that begins with the members, and its number of cells.
    template <class Use>
    void for_tops(std::int64_t cells, const Use& use) {
        if (sets.is_top(members, cells)) use(cells);
        if (static_cast<int>(members.size()) == sets.most_members_) return;
        for (int u = members.empty() ? 0 : members.back() + 1; u < sets.n_; ++u) {
            const std::int64_t more = cells * sets.rows_.levels[u];
            if (more > sets.most_cells_) continue;
            members.push_back(u);
            made[members.size()] = 0;
            for_tops(more, use);
            members.pop_back();
        }
    }

    const std::vector<std::uint32_t>& configurations_of(std::size_t size) {
        auto& own = configurations[size];
        if (made[size]) return own;
        const std::size_t rows = sets.rows_.count;
        if (size == 0) {
            own.assign(rows, 0);
        } else {
            const auto& known = configurations_of(size - 1);
            own.resize(rows);
            const int u = members[size - 1];
            const auto levels = static_cast<std::uint32_t>(sets.rows_.levels[u]);
            with_codes(sets.rows_.columns[u], [&](const auto* codes) {
                for (std::size_t row = 0; row < rows; ++row) {
                    own[row] = known[row] * levels + static_cast<std::uint32_t>(codes[row]);
                }
            });
        }
        made[size] = 1;
        return own;
    }

    /// The last member is not written out, because it is read only once.
    void count(std::int64_t cells) {
        auto& own = counts[members.size()];
        own.assign(static_cast<std::size_t>(cells), 0);
        const std::size_t rows = sets.rows_.count;
        if (members.empty()) {
            own[0] = sets.rows_.total;
            return;
        }
        const auto& known = configurations_of(members.size() - 1);
        const auto levels = static_cast<std::uint32_t>(sets.rows_.levels[members.back()]);
        with_codes(sets.rows_.columns[members.back()], [&](const auto* codes) {
            for (std::size_t row = 0; row < rows; ++row) {
                ++own[known[row] * levels + static_cast<std::uint32_t>(codes[row])];
            }
        });
    }

    /// Remove members: consecutive ones from the lowest, each lower than the one before.
    template <class Use>
    void descend(std::vector<int>& set, int below, const Use& use) {
        use(set, std::span<const std::int64_t>(counts[set.size()]));
        for (int x = 0; x < below; ++x) {
            const auto& whole = counts[set.size()];
            std::size_t outer = 1;
            for (int y = 0; y < x; ++y) outer *= static_cast<std::size_t>(sets.rows_.levels[y]);
            const auto levels = static_cast<std::size_t>(sets.rows_.levels[x]);
            const std::size_t inner = whole.size() / (outer * levels);
            auto& fewer = counts[set.size() - 1];
            fewer.resize(outer * inner);
            for (std::size_t o = 0; o < outer; ++o) {
                const std::int64_t* from = whole.data() + o * levels * inner;
                std::int64_t* to = fewer.data() + o * inner;
                std::copy(from, from + inner, to);
                for (std::size_t level = 1; level < levels; ++level) {
                    for (std::size_t i = 0; i < inner; ++i) to[i] += from[level * inner + i];
                }
            }
            set.erase(set.begin() + x);
            descend(set, x, use);
            set.insert(set.begin() + x, x);
        }
    }
};

double AllSets::cost(std::int64_t rows) const {
    double tops = 0, cells = 0;
    Walk walk(*this);
    walk.for_tops(1, [&](std::int64_t own) {
        ++tops;
        // The sets that belong to a top set lack some of the lowest members; each removal at least halves the cells.
        double all = static_cast<double>(own);
        for (int x = 0; x < static_cast<int>(walk.members.size()) && walk.members[x] == x; ++x) {
            all += all / rows_.levels[x];
        }
        cells += all;
    });
    return tops * COST_OF_ROW * static_cast<double>(rows) + cells * COST_OF_CELL;
}

void AllSets::work_out(const OfCounts& of_counts, Pool& pool) {
    values_.assign(size_, Fixed{});
    const auto keep = [&](const std::vector<int>& set, std::span<const std::int64_t> counts) {
        values_[place_of(VariableSet(set))] = of_counts(counts, static_cast<double>(counts.size()));
    };
    const auto work_out_from = [&](Walk& walk, std::int64_t cells) {
        Watch::look_now_and_then();
        walk.count(cells);
        std::vector<int> set = walk.members;
        int run = 0;
        while (run < static_cast<int>(set.size()) && set[run] == run) ++run;
        walk.descend(set, run, keep);
    };
    // Each part has sets that begin with two given members; smaller sets form a part of their own.
    std::vector<std::pair<int, int>> parts;
    for (int a = 0; a < n_; ++a) {
        for (int b = a + 1; b < n_; ++b) parts.emplace_back(a, b);
    }
    pool.run(parts.size() + 1, [&](std::size_t part) {
        Walk walk(*this);
        if (part == parts.size()) {
            if (is_top({}, 1)) work_out_from(walk, 1);
            for (int a = 0; a < n_; ++a) {
                walk.members = {a};
                walk.made.assign(walk.made.size(), 0);
                const std::int64_t cells = rows_.levels[a];
                if (most_members_ > 0 && cells <= most_cells_ && is_top(walk.members, cells)) work_out_from(walk, cells);
            }
            return;
        }
        const auto [a, b] = parts[part];
        const std::int64_t cells = std::int64_t{rows_.levels[a]} * rows_.levels[b];
        if (most_members_ < 2 || cells > most_cells_) return;
        walk.members = {a, b};
        walk.for_tops(cells, [&](std::int64_t own) { work_out_from(walk, own); });
    });
}

}  // namespace stablebn
