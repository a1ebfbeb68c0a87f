#include "counting/counts.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "counting/cells.hpp"

namespace stablebn {

namespace {

// The joint code of a bundle fits one byte.
constexpr int LARGEST_BUNDLE = 256;
// Configuration numbers have 16 bits.
constexpr double MOST_PLACES = 1 << 16;
// Factor of the cell limit for bits if all cells of a table are counted.
constexpr double SHARE_OF_CELLS = 0.5;
// Measured, in nanoseconds: one row with a histogram.
constexpr double ROW_BY_HISTOGRAM = 1.0 / 1.4;
// Nanoseconds per cell that is computed as a difference, including new memory.
constexpr double CELL_BY_DIFFERENCE = 1.0;
// Nanoseconds to add a count of another thread.
constexpr double COUNT_ADDED = 0.3;
// Most variables for which one thread counts all pairs in sequence.
constexpr std::size_t MOST_NEIGHBOURS = 8;
// Nanoseconds per cell of a bundle's histogram, from which the cells of its variables are summed.
constexpr double CELL_OF_BUNDLE = 0.5;
// Fewest words of rows per thread; with fewer, the levels are divided among threads instead.
constexpr std::size_t SHORTEST_STRETCH = 256;
// Rows of a histogram that are worth another thread.
constexpr std::size_t ROWS_OF_A_THREAD = 1 << 15;
// Rows below which one thread computes their configurations.
constexpr std::size_t FEW_ROWS = 1 << 12;
// Limit of weighted rows times variables for counting a full table in one pass.
constexpr double FEW_VALUES = 1e6;

/// The table of m ln m up to a count. The last one is kept, because consecutive tables often have the same size.
std::shared_ptr<const LogTable> log_table(std::int64_t total) {
    static std::mutex mutex;
    static std::shared_ptr<const LogTable> last;
    static std::int64_t last_total = -1;
    {
        const std::lock_guard lock(mutex);
        if (total == last_total) return last;
    }
    // Without the lock, because this takes long: a process that is forked meanwhile would find it locked forever.
    auto made = std::make_shared<const LogTable>(total);
    const std::lock_guard lock(mutex);
    last = made;
    last_total = total;
    return made;
}

/// The configurations to count if a variable w joins a set whose table is known. Those with the most frequent level of
/// w are not counted, because they follow by subtraction from the known table; nor those that the known table shows not
/// to occur.
struct Extension {
    std::vector<std::int64_t> sizes;
    /// The level of each member, by row of the table, for each configuration to count; and its column.
    Matrix<int> configurations;
    std::vector<std::uint32_t> columns;
    /// The column of each known configuration with the level that is not counted; and, for each counted configuration,
    /// the column with that level instead of its own.
    std::vector<std::uint32_t> skipped_columns, instead;

    template <class Count>
    Extension(const Counts& counts, const Matrix<Count>& known, const VariableSet& set, int joining) {
        const auto levels = static_cast<std::size_t>(counts.levels(joining));
        std::size_t stride = 1;
        for (const int member : set) stride *= member > joining ? counts.levels(member) : 1;
        const std::size_t width = known.columns();
        const auto column = [=](std::size_t k, std::size_t level) {
            return (k / stride * levels + level) * stride + k % stride;
        };
        std::size_t skipped = 0;
        sizes.assign(width * levels, 0);
        std::size_t most = 0, occurring = 0;
        for (std::size_t level = 0; level < levels; ++level) {
            const auto row = known[counts.first(joining) + level];
            std::size_t found = 0;
            for (std::size_t k = 0; k < width; ++k) {
                sizes[column(k, level)] = row[k];
                found += row[k] > 0;
            }
            occurring += found;
            if (found > most) {
                most = found;
                skipped = level;
            }
        }
        configurations = Matrix<int>(occurring - most, set.size());
        columns.reserve(occurring - most);
        instead.reserve(occurring - most);
        for (std::size_t k = 0; k < width; ++k) skipped_columns.push_back(static_cast<std::uint32_t>(column(k, skipped)));
        for (std::size_t level = 0; level < levels; ++level) {
            if (level == skipped) continue;
            for (std::size_t k = 0; k < width; ++k) {
                std::size_t rest = column(k, level);
                if (!sizes[rest]) continue;
                instead.push_back(skipped_columns[k]);
                const auto own_column = static_cast<std::uint32_t>(rest);
                for (std::size_t p = set.size(); p-- > 0;) {
                    const std::size_t own = counts.levels(set[p]);
                    configurations(columns.size(), p) = counts.first(set[p]) + static_cast<int>(rest % own);
                    rest /= own;
                }
                columns.push_back(own_column);
            }
        }
    }
};

}  // namespace

Counts::Counts(Rows rows, std::shared_ptr<const void> owner, std::shared_ptr<Pool> pool, CountingLimits limits,
               std::shared_ptr<const LogTable> logs)
    : rows_(std::move(rows)),
      owner_(std::move(owner)),
      pool_(std::move(pool)),
      limits_(limits),
      m_ln_m_(logs ? std::move(logs) : log_table(rows_.total)),
      first_(rows_.columns.size(), -1),
      shared_(std::make_shared<Shared>(limits)) {
    for (int v = 0; v < variables(); ++v) {
        if (levels(v) > limits_.most_levels) {
            wide_.push_back(v);
            continue;
        }
        narrow_.push_back(v);
        first_[v] = height_;
        height_ += levels(v);
        // A bundle has consecutive variables as long as their joint code fits one byte.
        if (bundles_.empty() || bundles_.back().size * levels(v) > LARGEST_BUNDLE) bundles_.emplace_back();
        bundles_.back().variables.push_back(v);
        bundles_.back().size *= levels(v);
    }
    for (const Bundle& bundle : bundles_) bundle_cells_ += bundle.size;
}

std::shared_ptr<Counts> Counts::of_source(Rows rows, std::shared_ptr<RowSource> source, std::shared_ptr<Pool> pool,
                                          CountingLimits limits) {
    auto counts = std::make_shared<Counts>(std::move(rows), nullptr, std::move(pool), limits);
    counts->source_ = std::move(source);
    counts->origin_.resize(static_cast<std::size_t>(counts->variables()));
    std::iota(counts->origin_.begin(), counts->origin_.end(), 0);
    return counts;
}

std::shared_ptr<Counts> Counts::reordered(std::span<const int> order) {
    // Bits and table rows stay in place: only the start of each variable is renumbered.
    packed();
    pairs();
    const std::lock_guard lock(mutex_);
    auto& known = reordered_[std::vector<int>(order.begin(), order.end())];
    if (auto counts = known.lock()) return counts;
    Rows rows;
    rows.count = rows_.count;
    rows.weights = rows_.weights;
    rows.total = rows_.total;
    for (const int v : order) {
        rows.columns.push_back(rows_.columns[v]);
        rows.levels.push_back(rows_.levels[v]);
        if (!rows_.holes.empty()) rows.holes.push_back(rows_.holes[v]);
    }
    auto counts = std::make_shared<Counts>(std::move(rows), owner_, pool_, limits_);
    for (int v = 0; v < variables(); ++v) counts->first_[v] = first_[order[v]];
    counts->shared_ = shared_;
    counts->source_ = source_;
    if (source_) {
        for (const int v : order) counts->origin_.push_back(origin_[v]);
    }
    known = counts;
    return counts;
}

const PackedLevels& Counts::packed() const {
    std::call_once(shared_->pack_once, [this] {
        if (rows_.weighted() || source_) return;
        shared_->packed = rows_.packed.empty() ? PackedLevels(rows_, first_, height_, *pool_) : PackedLevels(rows_.packed);
    });
    return shared_->packed;
}

std::span<const std::int64_t> Counts::level_sizes() const {
    std::call_once(shared_->size_once, [this] {
        auto& sizes = shared_->level_sizes;
        sizes.resize(height_);
        if (source_) {
            std::vector<std::vector<int>> alone;
            for (const int v : narrow_) alone.push_back({v});
            const auto found = list(alone);
            for (std::size_t place = 0; place < narrow_.size(); ++place) {
                for (std::size_t k = 0; k < found[place].counts.size(); ++k) {
                    sizes[first(narrow_[place]) + found[place].keys[k]] = found[place].counts[k];
                }
            }
            return;
        }
        if (!rows_.weighted()) {
            const PackedLevels& bits = packed();
            pool_->share_evenly(sizes.size(), cost_of_configuration(), [&](std::size_t level) {
                sizes[level] = common(bits[level], bits[level], bits.words());
            });
            return;
        }
        for (const int v : narrow_) {
            with_codes(rows_.columns[v], [&](const auto* codes) {
                const auto own = group_sizes(std::span(codes, rows_.count), levels(v), rows_.weights);
                std::copy(own.begin(), own.end(), sizes.begin() + first(v));
            });
        }
    });
    return shared_->level_sizes;
}

const CountMatrix& Counts::pairs() const {
    std::call_once(shared_->pair_once, [this] {
        with_count([this](auto count) { shared_->pairs = count_pairs<decltype(count)>(); });
    });
    return shared_->pairs;
}

template <class Count>
Matrix<Count> Counts::count_pairs() const {
    const auto sizes = level_sizes();
    // The first write decides on which memory node a page lies.
    auto pairs = Matrix<Count>::unwritten(height_, height_);
    if (rows_.weighted()) {
        for (const int v : narrow_) {
            const Table own = by_histogram<Count>(VariableSet{v});
            for (int row = 0; row < height_; ++row) {
                const auto counts = std::get<Matrix<Count>>(own->counts)[row];
                std::copy(counts.begin(), counts.end(), pairs[row].begin() + first(v));
            }
        }
        return pairs;
    }
    if (source_) {
        std::vector<Crossing> crossings;
        for (std::size_t place = 0; place < narrow_.size(); ++place) crossings.push_back(pairs_to_count(place));
        const auto met = ask<Count>(crossings);
        for (std::size_t place = 0; place < narrow_.size(); ++place) write_pairs(place, crossings[place], met[place], pairs);
        return pairs;
    }
    // Local rows without weights always fit 32 bits.
    if constexpr (std::is_same_v<Count, std::int32_t>) {
        // Every variable with its predecessors; the last ones, which have most work, first. If there are many, one
        // thread takes several adjacent ones, whose counts share cache lines.
        const std::size_t together = std::clamp(narrow_.size() / (4 * pool_->parts()), std::size_t{1}, MOST_NEIGHBOURS);
        const std::size_t parts = (narrow_.size() + together - 1) / together;
        pool_->share(parts, cost_of_bits(height_ / 2.0), [&](std::size_t part) {
            const std::size_t begin = (parts - 1 - part) * together, end = std::min(begin + together, narrow_.size());
            for (std::size_t place = begin; place < end; ++place) {
                const Crossing crossing = pairs_to_count(place);
                Matrix<Count> met(crossing.levels.size(), crossing.configurations.rows());
                const WordRange all{0, packed().words()};
                add_common(packed(), all, crossing.configurations.view(), crossing.levels, met.view());
                write_pairs(place, crossing, met, pairs);
            }
        });
    }
    return pairs;
}

Crossing Counts::pairs_to_count(std::size_t place) const {
    const int v = narrow_[place], own = first(v), last = own + levels(v) - 1;
    Crossing crossing{Matrix<int>(levels(v) - 1, 1), {}};
    for (int k = own; k < last; ++k) crossing.configurations(k - own, 0) = k;
    for (std::size_t before = 0; before < place; ++before) {
        const int u = narrow_[before];
        for (int level = first(u); level < first(u) + levels(u) - 1; ++level) crossing.levels.push_back(level);
    }
    return crossing;
}

template <class Count>
void Counts::write_pairs(std::size_t place, const Crossing& crossing, const Matrix<Count>& met, Matrix<Count>& pairs) const {
    const auto sizes = level_sizes();
    const int v = narrow_[place], own = first(v), last = own + levels(v) - 1;
    for (int k = own; k <= last; ++k) std::fill_n(&pairs(k, own), levels(v), 0);
    for (std::size_t m = 0; m < met.rows(); ++m) std::copy(met[m].begin(), met[m].end(), &pairs(crossing.levels[m], own));
    // The last level of each variable has the rows that no other level has.
    for (std::size_t before = 0; before < place; ++before) {
        const int u = narrow_[before], end = first(u) + levels(u) - 1;
        for (int k = own; k < last; ++k) {
            auto left = static_cast<Count>(sizes[k]);
            for (int row = first(u); row < end; ++row) left -= pairs(row, k);
            pairs(end, k) = left;
        }
        for (int row = first(u); row <= end; ++row) {
            auto left = static_cast<Count>(sizes[row]);
            for (int k = own; k < last; ++k) left -= pairs(row, k);
            pairs(row, last) = left;
            for (int k = own; k <= last; ++k) pairs(k, row) = pairs(row, k);
        }
    }
}

template <class Count>
std::vector<Matrix<Count>> Counts::ask(std::vector<Crossing> crossings) const {
    std::vector<Matrix<Count>> met;
    for (const auto& own : source_->ask({std::move(crossings), {}, {}}).crossed) {
        auto& counts = met.emplace_back(own.rows(), own.columns());
        std::transform(own.data(), own.data() + own.rows() * own.columns(), counts.data(),
                       [](std::int64_t count) { return static_cast<Count>(count); });
    }
    return met;
}

std::vector<Listed> Counts::list(std::span<const std::vector<int>> lists) const {
    Questions questions;
    for (const auto& variables : lists) {
        Listing listing;
        for (const int v : variables) listing.variables.push_back(origin_[v]);
        questions.listings.push_back(std::move(listing));
    }
    return source_->ask(std::move(questions)).listed;
}

std::vector<Summed> Counts::sum(std::vector<Summing> summings) const {
    for (Summing& summing : summings) {
        for (int& v : summing.variables) v = origin_[v];
    }
    return source_->ask({{}, {}, std::move(summings)}).summed;
}

std::shared_ptr<const JointTable> Counts::table(const VariableSet& set) {
    while (true) {
        bool under_way = false;
        {
            const std::lock_guard lock(mutex_);
            const auto found = tables_.find(set);
            if (found != tables_.end()) return found->second;
            if (!fits(set)) return nullptr;
            under_way = !under_way_.insert(set).second;
        }
        if (!under_way) break;
        pool_->help_until([&] {
            const std::lock_guard lock(mutex_);
            return !under_way_.contains(set);
        });
    }
    const auto end = [&] {
        {
            const std::lock_guard lock(mutex_);
            under_way_.erase(set);
        }
        pool_->announce();
    };
    try {
        Table made = with_count([&](auto count) { return this->count<decltype(count)>(set); });
        keep(made);
        end();
        return made;
    } catch (...) {
        end();
        throw;
    }
}

bool Counts::fits(const VariableSet& set) const {
    const double configurations = states(rows_, set.members());
    return configurations <= static_cast<double>(limits_.most_configurations) &&
           configurations * height_ <= static_cast<double>(limits_.most_cells) &&
           std::all_of(set.begin(), set.end(), [this](int v) { return first_[v] >= 0; });
}

bool Counts::is_known(const VariableSet& set) const {
    const std::lock_guard lock(mutex_);
    return tables_.contains(set);
}

void Counts::keep(const Table& table) {
    const auto bytes = [](const JointTable& own) {
        return own.with_counts([](const auto& counts) {
            return static_cast<std::int64_t>(counts.rows() * counts.columns() * sizeof(*counts.data()));
        });
    };
    const std::lock_guard lock(mutex_);
    if (!tables_.emplace(table->members, table).second) return;
    by_age_.push_back(table->members);
    bytes_ += bytes(*table);
    while (bytes_ > limits_.most_bytes && by_age_.size() > 1) {
        const auto oldest = tables_.find(by_age_.front());
        bytes_ -= bytes(*oldest->second);
        tables_.erase(oldest);
        by_age_.pop_front();
    }
}

template <class Count>
Counts::Table Counts::count(const VariableSet& set) {
    if (set.size() == 1) return table_of_one<Count>(set[0]);
    if (rows_.weighted() && !source_) {
        const bool few = static_cast<double>(rows_.count) * static_cast<double>(narrow_.size()) <= FEW_VALUES;
        return few ? by_weights<Count>(set) : by_histogram<Count>(set);
    }
    // The table is extended from one without some member, preferably a known one. One level of that member need not be
    // counted, which saves most if it has few levels.
    int joining = -1;
    bool from_known = false;
    for (const int member : set) {
        const bool known = set.size() == 2 || is_known(set.without(member));
        if (joining < 0 || known > from_known || (known == from_known && levels(member) < levels(joining))) {
            joining = member;
            from_known = known;
        }
    }
    const double configurations = states(rows_, set.members());
    if (!from_known && !source_ && cost_of_bits(configurations) > cost_of_histogram(configurations)) return by_histogram<Count>(set);
    const Table smaller = table(set.without(joining));
    if (Table found = by_bits<Count>(*smaller, joining)) return found;
    return by_histogram<Count>(set);
}

template <class Count>
Counts::Table Counts::table_of_one(int v) const {
    auto table = unwritten_table<Count>(VariableSet{v}, levels(v));
    auto& counts = std::get<Matrix<Count>>(table->counts);
    const auto sizes = level_sizes().subspan(first(v), levels(v));
    table->sizes.assign(sizes.begin(), sizes.end());
    const auto& all = std::get<Matrix<Count>>(pairs());
    // Pairs are symmetric: read along their rows.
    for (int level = 0; level < levels(v); ++level) {
        const auto own = all[first(v) + level];
        for (int row = 0; row < height_; ++row) counts(row, level) = own[row];
    }
    return table;
}

std::vector<int> Counts::outside(const VariableSet& set) const {
    std::vector<int> others;
    for (const int u : narrow_) {
        if (!set.contains(u)) others.push_back(u);
    }
    return others;
}

template <class Count>
Counts::Table Counts::by_bits(const JointTable& smaller, int joining) const {
    const VariableSet set = smaller.members.with(joining);
    const auto& smaller_counts = std::get<Matrix<Count>>(smaller.counts);
    Extension plan(*this, smaller_counts, set, joining);
    const std::size_t columns = plan.columns.size();
    if (!source_ && cost_of_bits(static_cast<double>(columns)) > cost_of_histogram(static_cast<double>(plan.sizes.size()))) return nullptr;
    auto table = unwritten_table<Count>(set, plan.sizes.size());
    auto& counts = std::get<Matrix<Count>>(table->counts);
    table->sizes = std::move(plan.sizes);
    for (const int v : set) {
        for (int level = 0; level < levels(v); ++level) std::ranges::fill(counts[first(v) + level], 0);
    }
    const bool all_occur = plan.columns.size() + plan.skipped_columns.size() == table->sizes.size();
    const std::vector<int> others = outside(set);
    std::vector<int> which;
    std::vector<std::size_t> starts;
    for (const int u : others) {
        starts.push_back(which.size());
        for (int level = first(u); level < first(u) + levels(u) - 1; ++level) which.push_back(level);
    }
    const auto counted = met<Count>(plan.configurations, which);
    const double cells = static_cast<double>(height_) * static_cast<double>(table->sizes.size());
    pool_->share_evenly(others.size(), CELL_BY_DIFFERENCE * cells, [&](std::size_t at) {
        const int u = others[at], last = first(u) + levels(u) - 1;
        // The last level of u has the remaining rows of a configuration.
        thread_local Scratch<Count> scratch;
        const auto rest = scratch.take(columns);
        for (std::size_t c = 0; c < columns; ++c) rest[c] = static_cast<Count>(table->sizes[plan.columns[c]]);
        for (int row = first(u); row <= last; ++row) {
            const Count* found = row < last ? counted[starts[at] + row - first(u)].data() : rest.data();
            const auto known = smaller_counts[row];
            Count* own = counts[row].data();
            if (!all_occur) std::ranges::fill(counts[row], 0);
            // The level that was skipped has the remainder of the known table.
            for (std::size_t k = 0; k < known.size(); ++k) own[plan.skipped_columns[k]] = known[k];
            for (std::size_t c = 0; c < columns; ++c) {
                own[plan.columns[c]] = found[c];
                own[plan.instead[c]] -= found[c];
            }
            if (row == last) break;
            for (std::size_t c = 0; c < columns; ++c) rest[c] -= found[c];
        }
    });
    return table;
}

template <class Count>
Matrix<Count> Counts::met(const Matrix<int>& configurations, std::span<const int> levels) const {
    if constexpr (std::is_same_v<Count, std::int32_t>) {
        if (!source_) return met_by_bits(configurations, levels);
    }
    return std::move(ask<Count>({{configurations, {levels.begin(), levels.end()}}}).front());
}

Matrix<std::int32_t> Counts::met_by_bits(const Matrix<int>& configurations, std::span<const int> levels) const {
    Matrix<std::int32_t> counts(levels.size(), configurations.rows());
    const std::size_t words = packed().words();
    const double cost = limits_.bits_cost * static_cast<double>(rows_.count * levels.size() * configurations.rows());
    const std::size_t stretches = std::min(pool_->parts(), words / SHORTEST_STRETCH);
    if (pool_->size() == 1 || cost < Pool::worth_a_thread()) {
        add_common(packed(), {0, words}, configurations.view(), levels, counts.view());
    } else if (stretches >= static_cast<std::size_t>(pool_->size())) {
        // Every thread has its own rows: then the sets of a configuration are computed once.
        std::vector<Matrix<std::int32_t>> parts(stretches);
        pool_->share(stretches, [&](std::size_t part) {
            parts[part] = Matrix<std::int32_t>(counts.rows(), counts.columns());
            const WordRange range{words * part / stretches, words * (part + 1) / stretches};
            add_common(packed(), range, configurations.view(), levels, parts[part].view());
        });
        const double cells = static_cast<double>(stretches * counts.rows() * counts.columns());
        pool_->share_evenly(counts.rows(), COUNT_ADDED * cells, [&](std::size_t level) {
            for (const auto& own : parts) {
                for (std::size_t k = 0; k < counts.columns(); ++k) counts(level, k) += own(level, k);
            }
        });
    } else {
        // Few rows: every thread has its own levels.
        const std::size_t parts = std::min(pool_->parts(), levels.size());
        pool_->share(parts, [&](std::size_t part) {
            const std::size_t begin = levels.size() * part / parts, end = levels.size() * (part + 1) / parts;
            const MatrixView<std::int32_t> own{counts[begin].data(), end - begin, counts.columns()};
            add_common(packed(), {0, words}, configurations.view(), levels.subspan(begin, end - begin), own);
        });
    }
    return counts;
}

template <class Count>
Counts::Table Counts::by_histogram(const VariableSet& set) const {
    const auto width = static_cast<std::size_t>(states(rows_, set.members()));
    auto table = unwritten_table<Count>(set, width);
    auto& counts = std::get<Matrix<Count>>(table->counts);
    const auto all = bundles();
    const double cost = cost_of_histogram(static_cast<double>(width));
    const bool shared = pool_->size() > 1 && cost >= Pool::worth_a_thread();
    // Every thread has its own bundles; and its own rows, if there are few bundles and more rows than cells.
    std::size_t stretches = 1;
    if (shared && all.size() < pool_->parts()) {
        const std::size_t wanted = (pool_->parts() + all.size() - 1) / all.size();
        const std::size_t most = std::min(rows_.count / ROWS_OF_A_THREAD, rows_.count * all.size() / (2 * bundle_cells_ * width));
        stretches = std::clamp(wanted, std::size_t{1}, std::max(most, std::size_t{1}));
    }
    const auto all_groups = shared_configurations(set.members(), cost);
    const auto groups = all_groups[0];
    std::vector<std::vector<Count>> cells(stretches > 1 ? stretches * all.size() : 0);
    pool_->share(cells.size(), [&](std::size_t part) {
        const Bundle& bundle = all[part / stretches];
        const std::size_t begin = rows_.count * (part % stretches) / stretches;
        const std::size_t end = rows_.count * (part % stretches + 1) / stretches;
        cells[part].resize(bundle.size * width);
        add_to_histogram(bundle, groups.subspan(begin, end - begin), begin, width, cells[part].data());
    });
    pool_->share_evenly(all.size(), cost, [&](std::size_t place) {
        const Bundle& bundle = all[place];
        if (stretches > 1) {
            auto& joint = cells[place * stretches];
            for (std::size_t other = place * stretches + 1; other < (place + 1) * stretches; ++other) {
                for (std::size_t at = 0; at < joint.size(); ++at) joint[at] += cells[other][at];
            }
            unbundle<Count>(bundle.variables, joint, counts);
        } else {
            thread_local Scratch<Count> scratch;
            const auto joint = scratch.take_zeros(bundle.size * width);
            add_to_histogram(bundle, groups, 0, width, joint.data());
            unbundle<Count>(bundle.variables, joint, counts);
        }
    });
    // Every row has one level of any variable, here also of the members.
    table->sizes.assign(width, 0);
    for (int row = first(set[0]); row < first(set[0]) + levels(set[0]); ++row) {
        for (std::size_t k = 0; k < width; ++k) table->sizes[k] += counts(row, k);
    }
    return table;
}

template <class Count>
void Counts::unbundle(std::span<const int> variables, std::span<const Count> joint, Matrix<Count>& counts) const {
    if (variables.size() == 1) {
        std::ranges::copy(joint, counts[first(variables[0])].begin());
        return;
    }
    // In halves: the cells of a bundle are then read once, not once per variable.
    const auto slow = variables.first(variables.size() / 2), fast = variables.subspan(variables.size() / 2);
    const std::size_t width = counts.columns();
    const auto blocks = static_cast<std::size_t>(states(rows_, slow)), block = static_cast<std::size_t>(states(rows_, fast));
    std::vector<Count> of_slow(blocks * width), of_fast(block * width);
    for (std::size_t code = 0; code < blocks * block; ++code) {
        const Count* cells = joint.data() + code * width;
        Count* one = of_slow.data() + code / block * width;
        Count* other = of_fast.data() + code % block * width;
        for (std::size_t k = 0; k < width; ++k) {
            one[k] += cells[k];
            other[k] += cells[k];
        }
    }
    unbundle<Count>(slow, of_slow, counts);
    unbundle<Count>(fast, of_fast, counts);
}

template <class Count>
std::shared_ptr<JointTable> Counts::unwritten_table(VariableSet set, std::size_t width) const {
    std::shared_ptr<JointTable> table(new JointTable, [shared = shared_](JointTable* own) {
        shared->spares_of<Count>().give(std::get<Matrix<Count>>(std::move(own->counts)));
        delete own;
    });
    table->members = std::move(set);
    table->counts = shared_->spares_of<Count>().take(height_, width);
    return table;
}

Matrix<std::uint16_t> Counts::shared_configurations(std::span<const int> variables, double cost) const {
    auto groups = Matrix<std::uint16_t>::unwritten(1, rows_.count);
    const std::size_t parts = std::clamp(rows_.count / FEW_ROWS, std::size_t{1}, pool_->parts());
    pool_->share(parts, cost, [&](std::size_t part) {
        const std::size_t begin = rows_.count * part / parts, end = rows_.count * (part + 1) / parts;
        write_configurations(rows_, variables, begin, groups[0].subspan(begin, end - begin));
    });
    return groups;
}

template <class Count>
void Counts::add_to_histogram(const Bundle& bundle, std::span<const std::uint16_t> groups, std::size_t first_row,
                              std::size_t width, Count* cells) const {
    const std::uint8_t* codes = bundle.codes.data() + first_row;
    const std::uint16_t* group = groups.data();
    // Short and unsigned, because an index that may be negative is slower.
    const auto columns = static_cast<std::uint32_t>(width);
    const auto cell = [=](std::size_t i) { return codes[i] * columns + group[i]; };
    if (rows_.weighted()) {
        const std::int64_t* weights = rows_.weights.data() + first_row;
        add_to_cells(groups.size(), cell, [=](std::size_t i) { return weights[i]; }, cells);
    } else {
        add_to_cells(groups.size(), cell, ONE, cells);
    }
}

template <class Count>
Counts::Table Counts::by_weights(const VariableSet& set) const {
    auto table = std::make_shared<JointTable>();
    table->members = set;
    const auto width = static_cast<std::size_t>(states(rows_, set.members()));
    Matrix<Count> counts(height_, width);
    const auto groups = configurations(rows_, set.members());
    table->sizes = group_sizes(std::span(groups), width, rows_.weights);
    for (const int u : outside(set)) {
        with_codes(rows_.columns[u], [&](const auto* codes) {
            for (std::size_t i = 0; i < rows_.count; ++i) {
                counts(first(u) + codes[i], groups[i]) += static_cast<Count>(rows_.weights[i]);
            }
        });
    }
    table->counts = std::move(counts);
    return table;
}

std::span<const Counts::Bundle> Counts::bundles() const {
    std::call_once(bundle_once_, [this] {
        for (Bundle& bundle : bundles_) bundle.codes = Matrix<std::uint8_t>::unwritten(1, rows_.count);
        const std::size_t stretches = rows_.count / ROWS_OF_A_THREAD + 1;
        const double cost = static_cast<double>(rows_.count * narrow_.size());
        pool_->share(bundles_.size() * stretches, cost, [&](std::size_t part) {
            Bundle& bundle = bundles_[part / stretches];
            const std::size_t stretch = part % stretches;
            const std::size_t begin = rows_.count * stretch / stretches, end = rows_.count * (stretch + 1) / stretches;
            std::vector<std::uint16_t> joint(end - begin);
            write_configurations(rows_, bundle.variables, begin, joint);
            std::ranges::copy(joint, bundle.codes[0].begin() + static_cast<std::ptrdiff_t>(begin));
        });
    });
    return bundles_;
}

double Counts::cost_of_bits(double configurations) const {
    return limits_.bits_cost * static_cast<double>(rows_.count) * configurations * (height_ - static_cast<double>(narrow_.size()));
}

double Counts::cost_of_histogram(double configurations) const {
    return limits_.histogram_cost * static_cast<double>(rows_.count) * static_cast<double>(bundles_.size()) +
           CELL_OF_BUNDLE * static_cast<double>(bundle_cells_) * configurations;
}

std::vector<std::int64_t> Counts::cells(std::span<const int> variables) const {
    std::vector<std::int64_t> counts;
    if (variables.empty()) {
        counts = {total()};
    } else if (source_) {
        if (auto known = known_cells(VariableSet({variables.begin(), variables.end()}))) {
            counts = std::move(*known);
        } else {
            counts = std::move(list({{std::vector<int>(variables.begin(), variables.end())}}).front().counts);
        }
    } else if (states(rows_, variables) <= std::min(static_cast<double>(rows_.count), MOST_PLACES)) {
        counts = whole_table(variables);
    } else {
        const Partition groups = partition(rows_, variables);
        counts = group_sizes(std::span<const std::int32_t>(groups.group), groups.groups, rows_.weights);
    }
    std::erase(counts, 0);
    return counts;
}

std::optional<std::vector<std::int64_t>> Counts::known_cells(const VariableSet& set) const {
    const std::lock_guard lock(mutex_);
    if (const auto found = tables_.find(set); found != tables_.end()) return found->second->sizes;
    for (const int v : set) {
        if (first(v) < 0) continue;
        const auto found = tables_.find(set.without(v));
        if (found == tables_.end()) continue;
        return found->second->with_counts([&](const auto& counts) {
            const auto* begin = counts.data() + static_cast<std::size_t>(first(v)) * counts.columns();
            return std::vector<std::int64_t>(begin, begin + static_cast<std::size_t>(levels(v)) * counts.columns());
        });
    }
    return std::nullopt;
}

std::vector<std::int64_t> Counts::whole_table(std::span<const int> variables) const {
    const auto size = static_cast<std::size_t>(states(rows_, variables));
    if (source_) {
        // With so few configurations a key is one integer, the index of the configuration.
        const auto found = std::move(list({{std::vector<int>(variables.begin(), variables.end())}}).front());
        std::vector<std::int64_t> table(size, 0);
        for (std::size_t k = 0; k < found.counts.size(); ++k) table[found.keys[k]] = found.counts[k];
        return table;
    }
    const bool by_bits = wide_.empty() && !rows_.weighted() &&
                         static_cast<double>(size) <= SHARE_OF_CELLS * static_cast<double>(limits_.most_cells_for_bits);
    if (!by_bits) {
        const auto groups = configurations(rows_, variables);
        return group_sizes(std::span<const std::uint16_t>(groups), size, rows_.weights);
    }
    const int last = variables.back();
    if (variables.size() == 1) {
        const auto sizes = level_sizes().subspan(first(last), levels(last));
        return {sizes.begin(), sizes.end()};
    }
    const auto others = variables.first(variables.size() - 1);
    const auto smaller = whole_table(others);
    Matrix<int> sets(smaller.size(), others.size());
    for (std::size_t k = 0; k < sets.rows(); ++k) {
        std::size_t rest = k;
        for (std::size_t p = others.size(); p-- > 0; rest /= levels(others[p])) {
            sets(k, p) = first(others[p]) + static_cast<int>(rest % levels(others[p]));
        }
    }
    std::vector<int> which(levels(last) - 1);
    std::iota(which.begin(), which.end(), first(last) + 1);
    const auto counted = met_by_bits(sets, which);
    std::vector<std::int64_t> table(size);
    for (std::size_t k = 0; k < smaller.size(); ++k) {
        std::int64_t* cells = table.data() + k * levels(last);
        cells[0] = smaller[k];
        for (std::size_t m = 0; m < which.size(); ++m) {
            cells[m + 1] = counted(m, k);
            cells[0] -= counted(m, k);
        }
    }
    return table;
}

bool Counts::extends_by_bits(std::span<const int> base, std::span<const int> candidates) const {
    if (rows_.weighted() || base.empty() || source_) return false;
    const auto is_narrow = [this](int v) { return first(v) >= 0; };
    if (!std::ranges::all_of(base, is_narrow) || !std::ranges::all_of(candidates, is_narrow)) return false;
    double own_levels = 0;
    for (const int u : candidates) own_levels += levels(u);
    const double configurations = states(rows_, base), rows = static_cast<double>(rows_.count);
    const double by_bits = limits_.bits_cost * rows * configurations * (own_levels + static_cast<double>(base.size()));
    return by_bits < ROW_BY_HISTOGRAM * rows * static_cast<double>(candidates.size() + base.size());
}

void Counts::extensions_by_bits(std::span<const int> base, std::span<const int> candidates,
                                const std::function<void(int, std::span<const std::int64_t>)>& use) const {
    Matrix<int> configurations(static_cast<std::size_t>(states(rows_, base)), base.size());
    for (std::size_t c = 0; c < configurations.rows(); ++c) {
        std::size_t rest = c;
        for (std::size_t p = base.size(); p-- > 0;) {
            const auto own = static_cast<std::size_t>(levels(base[p]));
            configurations(c, p) = first(base[p]) + static_cast<int>(rest % own);
            rest /= own;
        }
    }
    std::vector<int> which;
    for (const int u : candidates) {
        for (int level = first(u); level < first(u) + levels(u); ++level) which.push_back(level);
    }
    const auto counted = met_by_bits(configurations, which);
    std::size_t row = 0;
    std::vector<std::int64_t> cells;
    for (const int u : candidates) {
        cells.clear();
        for (int level = 0; level < levels(u); ++level, ++row) cells.insert(cells.end(), counted[row].begin(), counted[row].end());
        use(u, cells);
    }
}

void Counts::extensions(std::span<const int> base, std::span<const int> candidates,
                        const std::function<void(int, std::span<const std::int64_t>)>& use) const {
    if (extends_by_bits(base, candidates)) {
        extensions_by_bits(base, candidates, use);
        return;
    }
    if (source_) {
        std::vector<std::vector<int>> lists;
        for (const int u : candidates) {
            lists.emplace_back(base.begin(), base.end());
            lists.back().push_back(u);
        }
        const auto found = list(lists);
        for (std::size_t place = 0; place < candidates.size(); ++place) use(candidates[place], found[place].counts);
        return;
    }
    const Partition groups = partition(rows_, base);
    const std::size_t rows = rows_.count;
    const auto weight = [this](std::size_t i) { return rows_.weighted() ? rows_.weights[i] : 1; };
    std::once_flag sort_once;
    Grouped sorted;
    const double cost = ROW_BY_HISTOGRAM * static_cast<double>(rows) * static_cast<double>(candidates.size());
    pool_->share(candidates.size(), cost, [&](std::size_t place) {
        const int u = candidates[place];
        const std::int64_t width = levels(u);
        std::vector<std::int64_t> cells;
        with_codes(rows_.columns[u], [&](const auto* codes) {
            if (groups.groups * width <= static_cast<std::int64_t>(rows)) {
                cells.assign(groups.groups * width, 0);
                for (std::size_t i = 0; i < rows; ++i) cells[groups.group[i] * width + codes[i]] += weight(i);
                return;
            }
            std::call_once(sort_once, [&] { sorted = rows_by_group(groups.group, groups.groups); });
            std::vector<std::int64_t> scratch(width, 0);
            for (std::int64_t g = 0; g < groups.groups; ++g) {
                for (auto at = sorted.starts[g]; at < sorted.starts[g + 1]; ++at) {
                    scratch[codes[sorted.rows[at]]] += weight(sorted.rows[at]);
                }
                for (auto at = sorted.starts[g]; at < sorted.starts[g + 1]; ++at) {
                    auto& count = scratch[codes[sorted.rows[at]]];
                    if (count) cells.push_back(std::exchange(count, 0));
                }
            }
        });
        use(u, cells);
    });
}

Answers Counts::answer(const Questions& questions) const {
    Answers answers;
    for (const Crossing& crossing : questions.crossings) answers.crossed.push_back(crossed(crossing));
    for (const Listing& listing : questions.listings) answers.listed.push_back(listed(listing));
    return answers;
}

int Counts::variable_of(int level) const {
    const auto after = std::ranges::upper_bound(narrow_, level, {}, [this](int v) { return first(v); });
    return *(after - 1);
}

Matrix<std::int64_t> Counts::crossed(const Crossing& crossing) const {
    const auto& [configurations, levels] = crossing;
    Matrix<std::int64_t> found(levels.size(), configurations.rows());
    if (found.empty()) return found;
    std::vector<int> members;
    for (const int level : configurations[0]) members.push_back(variable_of(level));
    const double columns = static_cast<double>(configurations.rows());
    const double by_bits = limits_.bits_cost * static_cast<double>(rows_.count) * columns * static_cast<double>(levels.size());
    if (!rows_.weighted() && by_bits <= cost_of_histogram(states(rows_, members))) {
        const auto counted = met_by_bits(configurations, levels);
        std::copy_n(counted.data(), levels.size() * configurations.rows(), found.data());
        return found;
    }
    const Table table = with_count([&](auto count) { return by_histogram<decltype(count)>(VariableSet(members)); });
    std::vector<std::size_t> place(configurations.rows(), 0);
    for (std::size_t k = 0; k < configurations.rows(); ++k) {
        // Members are ascending in a table, whatever their order here.
        for (const int v : table->members) {
            const std::size_t at = static_cast<std::size_t>(std::ranges::find(members, v) - members.begin());
            place[k] = place[k] * static_cast<std::size_t>(this->levels(v)) + static_cast<std::size_t>(configurations(k, at) - first(v));
        }
    }
    table->with_counts([&](const auto& counts) {
        for (std::size_t m = 0; m < levels.size(); ++m) {
            for (std::size_t k = 0; k < place.size(); ++k) found(m, k) = counts(levels[m], place[k]);
        }
    });
    return found;
}

Listed Counts::listed(const Listing& listing) const {
    if (!listing.variables.empty() && states(rows_, listing.variables) <= MOST_PLACES) {
        // With so few configurations the key is their index.
        const auto table = whole_table(listing.variables);
        Listed found;
        for (std::size_t k = 0; k < table.size(); ++k) {
            if (!table[k]) continue;
            found.keys.push_back(k);
            found.counts.push_back(table[k]);
        }
        return found;
    }
    const Partition groups = partition(rows_, listing.variables);
    const auto sizes = group_sizes(std::span<const std::int32_t>(groups.group), static_cast<std::size_t>(groups.groups), rows_.weights);
    Listed found;
    found.keys = keys_of_groups(rows_, listing.variables, groups);
    for (const std::int64_t size : sizes) {
        if (size) found.counts.push_back(size);
    }
    return found;
}

}  // namespace stablebn
