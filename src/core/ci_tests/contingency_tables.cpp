#include "ci_tests/contingency_tables.hpp"

#include <algorithm>
#include <numeric>

#include "counting/cells.hpp"

namespace stablebn {

namespace {

// A table with at most this many cells is computed in full even if there are fewer rows.
constexpr std::int64_t FEW_CELLS = 4096;
// A table with at most this many cells per relevant row is computed in full too.
constexpr std::int64_t CELLS_A_ROW = 4;
// Measured: computing a set and its part in each level of x costs as much as counting this many cells per level.
constexpr std::int64_t MAKING_CELLS = 10;
// Selecting the relevant rows pays for more candidates than this if it drops more than the rest of this share.
constexpr std::size_t FEW_CANDIDATES = 8;
constexpr double LARGE_SHARE = 0.5;
// Levels that are counted at a time if the first candidates may be sufficient.
constexpr int LEVELS_AT_ONCE = 8;
// Candidates whose tables are queried at a time.
constexpr std::size_t CANDIDATES_AT_ONCE = 8;
// Most cells at a time of full tables from queried configurations.
constexpr std::size_t MOST_CELLS_AT_ONCE = std::size_t{1} << 20;

int sum_of_levels(const Counts& counts, std::span<const int> variables) {
    int sum = 0;
    for (const int v : variables) sum += counts.levels(v);
    return sum;
}

/// Add some rows to their cells.
template <class Place>
void add_some_rows(std::span<const std::int32_t> rows, const Place* places, Column y, int c,
                   std::span<const std::int64_t> weights, std::int64_t* cells) {
    // Unsigned, because an index that may be negative is slower.
    const auto width = static_cast<std::uint32_t>(c);
    const std::int32_t* row = rows.data();
    with_codes(y, [&](const auto* codes) {
        const auto cell = [=](std::size_t i) {
            return static_cast<std::uint32_t>(places[i]) * width +
                   static_cast<std::uint32_t>(codes[static_cast<std::uint32_t>(row[i])]);
        };
        if (weights.empty()) {
            add_to_cells(rows.size(), cell, ONE, cells);
        } else {
            const std::int64_t* weight = weights.data();
            const auto own = [=](std::size_t i) { return weight[static_cast<std::uint32_t>(row[i])]; };
            add_to_cells(rows.size(), cell, own, cells);
        }
    });
}

void intersect(const Word* a, const Word* b, std::size_t words, Word* out) {
    for (std::size_t w = 0; w < words; ++w) out[w] = a[w] & b[w];
}

}  // namespace

void add_rows(std::span<const std::uint16_t> places, Column y, int c, std::span<const std::int64_t> weights,
              std::int64_t* cells) {
    const auto width = static_cast<std::uint32_t>(c);
    const std::uint16_t* place = places.data();
    with_codes(y, [&](const auto* codes) {
        const auto cell = [=](std::size_t i) { return place[i] * width + static_cast<std::uint32_t>(codes[i]); };
        if (weights.empty()) {
            add_to_cells(places.size(), cell, ONE, cells);
        } else {
            const std::int64_t* weight = weights.data();
            add_to_cells(places.size(), cell, [=](std::size_t i) { return weight[i]; }, cells);
        }
    });
}

// Margins

std::span<std::int64_t> Margins::begin(std::size_t configurations, int r) {
    r_ = r;
    counts_.assign(configurations * r_, 0);
    sizes_.assign(configurations, 0);
    seen_.assign(configurations, 0);
    return counts_;
}

void Margins::sum_up() {
    shared_ = {};
    for (std::size_t k = 0; k < configurations(); ++k) {
        const std::int64_t* own = (*this)[k];
        std::int64_t size = 0;
        std::int32_t seen = 0;
        for (std::size_t i = 0; i < r_; ++i) {
            size += own[i];
            seen += own[i] > 0;
            if (statistic_ == Statistic::g2) shared_ -= m_ln_m_[own[i]];
        }
        if (statistic_ == Statistic::g2) shared_ += m_ln_m_[size];
        sizes_[k] = size;
        seen_[k] = seen;
    }
}

Sums Margins::of_cells(const std::int64_t* cells, int c) {
    if (statistic_ == Statistic::x2) return pearson(cells, c);
    switch (c) {
        case 2: return information<2>(cells, c);
        case 3: return information<3>(cells, c);
        case 4: return information<4>(cells, c);
        default: return information<0>(cells, c);
    }
}

/// If the number of levels of y is a template parameter, their sums stay in registers; 0: any number.
template <int Levels>
Sums Margins::information(const std::int64_t* cells, int c) {
    if constexpr (Levels > 0) c = Levels;
    const LogTable& m_ln_m = m_ln_m_;
    std::int64_t few[Levels > 0 ? Levels : 1];
    std::int64_t* columns = Levels > 0 ? few : columns_.take(c).data();
    Sums sums{shared_};
    const std::size_t block = r_ * c;
    for (std::size_t k = 0; k < configurations(); ++k, cells += block) {
        if (seen_[k] < 2) continue;
        std::fill_n(columns, c, 0);
        const std::int64_t* cell = cells;
        for (std::size_t i = 0; i < r_; ++i, cell += c) {
            for (int j = 0; j < c; ++j) {
                columns[j] += cell[j];
                // 0 ln 0 and 1 ln 1 are looked up too, because a branch is slower.
                sums.value += m_ln_m[cell[j]];
            }
        }
        int seen = 0;
        for (int j = 0; j < c; ++j) {
            sums.value -= m_ln_m[columns[j]];
            seen += columns[j] > 0;
        }
        sums.df += std::int64_t{seen_[k] - 1} * (seen - 1);
    }
    return sums;
}

Sums Margins::pearson(const std::int64_t* cells, int c) {
    Sums sums;
    for (std::size_t k = 0; k < configurations(); ++k, cells += r_ * c) {
        if (seen_[k] < 2) continue;
        const std::int64_t* rows = (*this)[k];
        sums.value.units -= Wide{sizes_[k]} << FIXED_BITS;
        int seen = 0;
        for (int j = 0; j < c; ++j) {
            std::int64_t column = 0;
            for (std::size_t i = 0; i < r_; ++i) column += cells[i * c + j];
            seen += column > 0;
            for (std::size_t i = 0; i < r_; ++i) {
                const std::int64_t cell = cells[i * c + j];
                if (cell) sums.value += pearson_term(cell, rows[i], column, sizes_[k]);
            }
        }
        sums.df += std::int64_t{seen_[k] - 1} * (seen - 1);
    }
    return sums;
}

/// size * cell**2 / (row * column), to 2**-62; products of more than 2**28 rows do not fit a double, nor 64 bits.
Fixed Margins::pearson_term(std::int64_t cell, std::int64_t row, std::int64_t column, std::int64_t size) const {
    if (size <= std::int64_t{1} << 28) {
        const DoubleDouble squares = two_product(static_cast<double>(cell * cell), static_cast<double>(size));
        return to_fixed(squares / DoubleDouble{static_cast<double>(row * column), 0.0});
    }
    const auto one = static_cast<double>(cell), all = static_cast<double>(size);
    const DoubleDouble expected = two_product(static_cast<double>(row), static_cast<double>(column));
    return to_fixed(two_product(one, one) * DoubleDouble{all, 0.0} / expected);
}

Sums Margins::of_rows(const Grouped& rows, Column x, Column y, int c, std::span<const std::int64_t> weights) {
    if (sparse_cells_.size() < r_ * c) sparse_cells_.resize(r_ * c);
    if (sparse_columns_.size() < static_cast<std::size_t>(c)) sparse_columns_.resize(c);
    std::int64_t* cells = sparse_cells_.data();
    std::int64_t* columns = sparse_columns_.data();
    const bool information = statistic_ == Statistic::g2;
    Sums sums{shared_};
    const auto count = [&](const auto* x_codes, const auto* y_codes) {
        const auto level_of_x = [&](std::int32_t row) { return static_cast<std::uint32_t>(x_codes[row]); };
        const auto level_of_y = [&](std::int32_t row) { return static_cast<std::uint32_t>(y_codes[row]); };
        for (std::size_t k = 0; k < configurations(); ++k) {
            const std::span<const std::int32_t> own(rows.rows.data() + rows.starts[k], rows.rows.data() + rows.starts[k + 1]);
            for (const std::int32_t row : own) {
                const std::int64_t weight = weights.empty() ? 1 : weights[row];
                cells[std::size_t{level_of_x(row)} * c + level_of_y(row)] += weight;
                columns[level_of_y(row)] += weight;
            }
            if (!information) sums.value.units -= Wide{sizes_[k]} << FIXED_BITS;
            for (const std::int32_t row : own) {
                const std::uint32_t i = level_of_x(row), j = level_of_y(row);
                std::int64_t& cell = cells[std::size_t{i} * c + j];
                if (!cell) continue;
                sums.value += information ? m_ln_m_[cell] : pearson_term(cell, (*this)[k][i], columns[j], sizes_[k]);
                cell = 0;
            }
            int seen = 0;
            for (const std::int32_t row : own) {
                std::int64_t& column = columns[level_of_y(row)];
                if (!column) continue;
                if (information) sums.value -= m_ln_m_[column];
                column = 0;
                ++seen;
            }
            sums.df += std::int64_t{seen_[k] - 1} * (seen - 1);
        }
    };
    with_codes(x, [&](const auto* x_codes) { with_codes(y, [&](const auto* y_codes) { count(x_codes, y_codes); }); });
    return sums;
}

// By bits

bool BitTables::begin(const Question& question, std::int64_t most) {
    question_ = question;
    if (!find_configurations(most)) return false;
    split_by_x();
    end_ = next_level_ = 0;
    return true;
}

/// If x does not vary in a configuration, no y adds to any sum: with many variables in z few configurations remain.
bool BitTables::find_configurations(std::int64_t most) {
    const std::size_t words = packed_.words();
    sets_.clear();
    sizes_.clear();
    if (question_.given.empty()) {
        // The levels of x cover all rows, and no bit beyond them.
        Word* all = set_words_.take(words).data();
        std::fill_n(all, words, 0);
        for (int level = 0; level < counts_.levels(question_.x); ++level) {
            const Word* own = packed_[counts_.first(question_.x) + level];
            for (std::size_t w = 0; w < words; ++w) all[w] |= own[w];
        }
        sets_.push_back(all);
        sizes_.push_back(static_cast<std::int64_t>(counts_.rows().count));
        return true;
    }
    bool first = true;
    for (const int v : question_.given) {
        const Word* const levels = packed_[counts_.first(v)];
        const int count = counts_.levels(v);
        finer_sets_.clear();
        finer_sizes_.clear();
        if (first) {
            // A level is its own set and need not be computed.
            for (int level = 0; level < count; ++level) {
                const Word* own = levels + level * words;
                const std::int64_t size = common(own, own, words);
                if (size > 1 && varies(own, size)) {
                    if (static_cast<std::int64_t>(finer_sets_.size()) == most) return false;
                    finer_sets_.push_back(own);
                    finer_sizes_.push_back(size);
                }
            }
            first = false;
        } else {
            const auto room = std::min(static_cast<std::int64_t>(sets_.size()) * count, most + 1);
            Word* free = finer_words_.take(room * words).data();
            for (std::size_t s = 0; s < sets_.size(); ++s) {
                for (int level = 0; level < count; ++level) {
                    const std::int64_t size = common(sets_[s], levels + level * words, words);
                    if (size < 2) continue;
                    intersect(sets_[s], levels + level * words, words, free);
                    if (!varies(free, size)) continue;
                    if (static_cast<std::int64_t>(finer_sets_.size()) == most) return false;
                    finer_sets_.push_back(free);
                    finer_sizes_.push_back(size);
                    free += words;
                }
            }
            std::swap(set_words_, finer_words_);
        }
        std::swap(sets_, finer_sets_);
        std::swap(sizes_, finer_sizes_);
    }
    return true;
}

/// Whether x has more than one level in some rows.
bool BitTables::varies(const Word* rows, std::int64_t size) const {
    for (int level = 0; level < counts_.levels(question_.x); ++level) {
        const std::int64_t here = common(rows, packed_[counts_.first(question_.x) + level], packed_.words());
        if (here) return here < size;
    }
    return false;
}

void BitTables::split_by_x() {
    const std::size_t words = packed_.words();
    const std::size_t r = counts_.levels(question_.x);
    const auto in_x = margins_.begin(sets_.size(), static_cast<int>(r));
    Word* free = part_words_.take(sets_.size() * (r - 1) * words).data();
    parts_.clear();
    for (std::size_t k = 0; k < sets_.size(); ++k) {
        parts_.push_back(sets_[k]);
        in_x[k * r] = sizes_[k];
        for (std::size_t i = 1; i < r; ++i, free += words) {
            intersect(sets_[k], packed_[counts_.first(question_.x) + i], words, free);
            parts_.push_back(free);
            in_x[k * r + i] = common(free, free, words);
            in_x[k * r] -= in_x[k * r + i];
        }
    }
    margins_.sum_up();
}

/// Intersect the levels of the next candidates with all parts: of all candidates, or of some if these may be
/// sufficient.
void BitTables::count_some(std::size_t begin) {
    levels_.clear();
    end_ = begin;
    next_level_ = 0;
    while (end_ < question_.candidates.size() && (!question_.may_stop || levels_.size() < LEVELS_AT_ONCE)) {
        const int y = question_.candidates[end_++];
        for (int level = 1; level < counts_.levels(y); ++level) levels_.push_back(packed_[counts_.first(y) + level]);
    }
    const auto met = met_.take_zeros(levels_.size() * parts_.size());
    add_common(levels_, parts_, packed_.words(), met.data(), parts_.size());
}

Sums BitTables::sums(std::size_t at) {
    if (at == end_) count_some(at);
    const int y = question_.candidates[at];
    const std::size_t r = counts_.levels(question_.x), c = counts_.levels(y);
    const auto cells = cells_.take(sets_.size() * r * c);
    const std::int32_t* met = met_.take(0).data() + next_level_ * parts_.size();
    next_level_ += c - 1;
    // Level 0 of x, and of y, has the remaining rows.
    for (std::size_t k = 0; k < sets_.size(); ++k) {
        std::int64_t* own = cells.data() + k * r * c;
        for (std::size_t i = 0; i < r; ++i) own[i * c] = margins_[k][i];
        for (std::size_t j = 1; j < c; ++j) {
            const std::int32_t* parts = met + (j - 1) * parts_.size() + k * r;
            std::int64_t rest = parts[0];
            for (std::size_t i = 1; i < r; ++i) {
                own[i * c + j] = parts[i];
                own[i * c] -= parts[i];
                rest -= parts[i];
            }
            own[j] = rest;
            own[0] -= rest;
        }
    }
    return margins_.of_cells(cells.data(), static_cast<int>(c));
}

// By all rows

bool PlaceTables::begin(const Question& question) {
    const Rows& rows = counts_.rows();
    const double r = counts_.levels(question.x), count = static_cast<double>(rows.count);
    const double candidates = static_cast<double>(question.candidates.size());
    const double columns = sum_of_levels(counts_, question.candidates);
    const double places = states(rows, question.given) * r;
    if (places + r * r > MOST_PLACES) return false;
    question_ = question;
    std::vector<int> family(question.given.begin(), question.given.end());
    family.push_back(question.x);
    places_ = configurations(rows, family);
    used_ = static_cast<std::size_t>(places);
    if (places * columns > candidates * std::max<double>(count, FEW_CELLS)) leave_out_configurations();
    const double cells = static_cast<double>(used_) * columns;
    if (cells > candidates * std::max<double>(CELLS_A_ROW * count, FEW_CELLS)) return false;
    return question.candidates.size() <= FEW_CANDIDATES || share_that_matters() > LARGE_SHARE;
}

/// Number the cells without the configurations in which x does not vary. The rows of these are combined by level of x,
/// because in such a configuration x does not vary either.
void PlaceTables::leave_out_configurations() {
    const std::size_t r = counts_.levels(question_.x);
    const auto in_x = group_sizes<std::uint16_t>(places_, used_, {});
    std::vector<std::uint16_t> number(used_);
    std::size_t found = r * r;
    for (std::size_t start = 0; start < used_; start += r) {
        const std::int64_t* own = in_x.data() + start;
        const bool varies = *std::max_element(own, own + r) < std::accumulate(own, own + r, std::int64_t{0});
        for (std::size_t i = 0; i < r; ++i) number[start + i] = static_cast<std::uint16_t>(varies ? found + i : i * r + i);
        if (varies) found += r;
    }
    for (auto& place : places_) place = number[place];
    used_ = found;
}

/// The share of the rows in whose configuration x varies.
double PlaceTables::share_that_matters() {
    const std::size_t r = counts_.levels(question_.x);
    const auto in_x = group_sizes<std::uint16_t>(places_, used_, {});
    std::int64_t found = 0;
    for (std::size_t start = 0; start < used_; start += r) {
        const std::int64_t* own = in_x.data() + start;
        const std::int64_t size = std::accumulate(own, own + r, std::int64_t{0});
        if (*std::max_element(own, own + r) < size) found += size;
    }
    return static_cast<double>(found) / static_cast<double>(places_.size());
}

Sums PlaceTables::sums(std::size_t at) {
    const int y = question_.candidates[at];
    const std::size_t c = counts_.levels(y), r = counts_.levels(question_.x);
    const auto cells = cells_.take_zeros(used_ * c);
    add_rows(places_, counts_.rows().columns[y], static_cast<int>(c), counts_.rows().weights, cells.data());
    if (at == 0) {
        const auto in_x = margins_.begin(used_ / r, static_cast<int>(r));
        for (std::size_t place = 0; place < used_; ++place) {
            for (std::size_t j = 0; j < c; ++j) in_x[place] += cells[place * c + j];
        }
        margins_.sum_up();
    }
    return margins_.of_cells(cells.data(), static_cast<int>(c));
}

// By the rows that matter

void RowTables::begin(const Question& question) {
    question_ = question;
    find_rows();
    const Rows& all = counts_.rows();
    const int r = counts_.levels(question.x);
    const auto in_x = margins_.begin(partition_.groups, r);
    add_some_rows(rows_, partition_.group.data(), all.columns[question.x], r, all.weights, in_x.data());
    margins_.sum_up();
    places_.resize(rows_.size());
    with_codes(all.columns[question.x], [&](const auto* codes) {
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            places_[i] = static_cast<std::uint32_t>(partition_.group[i]) * static_cast<std::uint32_t>(r) +
                         static_cast<std::uint32_t>(codes[rows_[i]]);
        }
    });
    sorted_ = {};
}

void RowTables::find_rows() {
    const Rows& all = counts_.rows();
    rows_.resize(all.count);
    std::iota(rows_.begin(), rows_.end(), 0);
    partition_.group.assign(all.count, 0);
    partition_.groups = 1;
    bool some_left_out = false;
    for (std::size_t place = 0; place < question_.given.size(); ++place) {
        const int v = question_.given[place];
        const std::span<const std::int32_t> chosen = some_left_out ? std::span<const std::int32_t>(rows_) : std::span<const std::int32_t>();
        partition_ = split(partition_, chosen, all.columns[v], all.levels[v]);
        const bool last = place + 1 == question_.given.size();
        // Numbering groups that occur is slow: first drop irrelevant rows.
        if (last || partition_.groups * all.levels[question_.given[place + 1]] > static_cast<std::int64_t>(rows_.size())) {
            keep_where_x_varies();
            some_left_out = true;
        }
    }
}

void RowTables::keep_where_x_varies() {
    const Rows& all = counts_.rows();
    const std::size_t r = counts_.levels(question_.x);
    const auto in_x = cells_.take_zeros(partition_.groups * r);
    add_some_rows(rows_, partition_.group.data(), all.columns[question_.x], static_cast<int>(r), all.weights, in_x.data());
    std::vector<std::int32_t> number(partition_.groups, -1);
    std::int32_t found = 0;
    for (std::int64_t g = 0; g < partition_.groups; ++g) {
        const auto seen = std::count_if(&in_x[g * r], &in_x[g * r] + r, [](std::int64_t size) { return size > 0; });
        if (seen > 1) number[g] = found++;
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        // Always written, and overwritten if the row is dropped.
        rows_[kept] = rows_[i];
        partition_.group[kept] = number[partition_.group[i]];
        kept += partition_.group[kept] >= 0;
    }
    rows_.resize(kept);
    partition_.group.resize(kept);
    partition_.groups = found;
}

Sums RowTables::sums(std::size_t at) {
    const Rows& all = counts_.rows();
    const int x = question_.x, y = question_.candidates[at];
    const std::int64_t cells_of_table = partition_.groups * counts_.levels(x) * counts_.levels(y);
    if (cells_of_table <= std::max(CELLS_A_ROW * static_cast<std::int64_t>(rows_.size()), FEW_CELLS)) {
        const auto cells = cells_.take_zeros(cells_of_table);
        add_some_rows(rows_, places_.data(), all.columns[y], counts_.levels(y), all.weights, cells.data());
        return margins_.of_cells(cells.data(), counts_.levels(y));
    }
    if (sorted_.starts.empty()) {
        sorted_ = rows_by_group(partition_.group, partition_.groups);
        for (auto& row : sorted_.rows) row = rows_[row];
    }
    return margins_.of_rows(sorted_, all.columns[x], all.columns[y], counts_.levels(y), all.weights);
}

// By the rows that are complete

void CompleteTables::begin(const Question& question) {
    question_ = question;
    const Rows& all = counts_.rows();
    std::vector<int> family(question.given.begin(), question.given.end());
    family.push_back(question.x);
    rows_ = complete_rows_of(all, family);
    partition_.group.assign(rows_.size(), 0);
    partition_.groups = 1;
    for (const int v : question.given) partition_ = split(partition_, rows_, all.columns[v], all.levels[v]);
}

Sums CompleteTables::sums(std::size_t at) {
    const Rows& all = counts_.rows();
    const int x = question_.x, y = question_.candidates[at], r = counts_.levels(x), c = counts_.levels(y);
    std::vector<std::int32_t> rows, groups;
    with_codes(all.columns[y], [&](const auto* codes) {
        const auto values = static_cast<std::int64_t>(counts_.values(y));
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            if (static_cast<std::int64_t>(codes[rows_[i]]) >= values) continue;
            rows.push_back(rows_[i]);
            groups.push_back(partition_.group[i]);
        }
    });
    const auto in_x = margins_.begin(partition_.groups, r);
    add_some_rows(rows, groups.data(), all.columns[x], r, all.weights, in_x.data());
    margins_.sum_up();
    const std::int64_t told = std::accumulate(in_x.begin(), in_x.end(), std::int64_t{0});
    Sums found;
    const std::int64_t cells_of_table = partition_.groups * r * c;
    if (cells_of_table <= std::max(CELLS_A_ROW * static_cast<std::int64_t>(rows.size()), FEW_CELLS)) {
        const auto cells = cells_.take_zeros(cells_of_table);
        std::vector<std::uint32_t> places(rows.size());
        with_codes(all.columns[x], [&](const auto* codes) {
            for (std::size_t i = 0; i < rows.size(); ++i) {
                places[i] = static_cast<std::uint32_t>(groups[i]) * static_cast<std::uint32_t>(r) +
                            static_cast<std::uint32_t>(codes[rows[i]]);
            }
        });
        add_some_rows(rows, places.data(), all.columns[y], c, all.weights, cells.data());
        found = margins_.of_cells(cells.data(), c);
    } else {
        Grouped sorted = rows_by_group(groups, partition_.groups);
        for (auto& row : sorted.rows) row = rows[row];
        found = margins_.of_rows(sorted, all.columns[x], all.columns[y], c, all.weights);
    }
    found.rows = told;
    return found;
}

// By asking

void AskedTables::begin(const Question& question) {
    question_ = question;
    begin_ = 0;
    listed_.clear();
}

void AskedTables::ask_for_some(std::size_t begin) {
    const std::size_t left = question_.candidates.size() - begin;
    const std::size_t count = question_.may_stop ? std::min(left, CANDIDATES_AT_ONCE) : left;
    std::vector<std::vector<int>> lists;
    for (const int y : question_.candidates.subspan(begin, count)) {
        lists.emplace_back(question_.given.begin(), question_.given.end());
        lists.back().push_back(question_.x);
        lists.back().push_back(y);
    }
    listed_ = counts_.list(lists);
    begin_ = begin;
}

Sums AskedTables::sums(std::size_t at) {
    if (at >= begin_ + listed_.size()) ask_for_some(at);
    const Listed& listed = listed_[at - begin_];
    std::vector<int> variables(question_.given.begin(), question_.given.end());
    variables.push_back(question_.x);
    variables.push_back(question_.candidates[at]);
    std::vector<int> levels;
    for (const int v : variables) levels.push_back(counts_.levels(v));
    const ConfigurationKeys keys(levels);
    const std::size_t d = variables.size(), given = d - 2;

    // Cells in which all variables are known, by configuration of the given variables.
    struct Cell {
        std::vector<std::uint64_t> configuration;
        std::size_t x, y;
        std::int64_t count;
    };
    std::vector<Cell> cells;
    std::int64_t told = 0;
    for (std::size_t k = 0; k < listed.counts.size(); ++k) {
        const std::uint64_t* key = listed.keys.data() + k * keys.words();
        const auto is_hole = [&](std::size_t place) {
            return keys.code(key, place) >= static_cast<std::uint64_t>(counts_.values(variables[place]));
        };
        Cell cell{{}, keys.code(key, given), keys.code(key, given + 1), listed.counts[k]};
        bool known = !is_hole(given) && !is_hole(given + 1);
        for (std::size_t place = 0; place < given && known; ++place) {
            known = !is_hole(place);
            cell.configuration.push_back(keys.code(key, place));
        }
        if (!known) continue;
        told += cell.count;
        cells.push_back(std::move(cell));
    }
    std::ranges::sort(cells, {}, &Cell::configuration);

    // Configurations are processed in batches of limited table size; the sums add up.
    const std::size_t r = levels[given], c = levels[given + 1];
    const std::size_t most = std::max<std::size_t>(MOST_CELLS_AT_ONCE / (r * c), 1);
    Sums found;
    for (std::size_t begin = 0; begin < cells.size();) {
        std::size_t end = begin, configurations = 0;
        std::vector<std::size_t> of_cell;
        for (; end < cells.size(); ++end) {
            const bool is_new = end == begin || cells[end].configuration != cells[end - 1].configuration;
            if (is_new && configurations == most) break;
            configurations += is_new;
            of_cell.push_back(configurations - 1);
        }
        const auto in_x = margins_.begin(configurations, static_cast<int>(r));
        const auto whole = cells_.take_zeros(configurations * r * c);
        for (std::size_t k = begin; k < end; ++k) {
            const std::size_t place = of_cell[k - begin] * r + cells[k].x;
            in_x[place] += cells[k].count;
            whole[place * c + cells[k].y] += cells[k].count;
        }
        margins_.sum_up();
        const Sums own = margins_.of_cells(whole.data(), static_cast<int>(c));
        found.value = (found.value + own.value);
        found.df += own.df;
        begin = end;
    }
    const Rows& rows = counts_.rows();
    if (!have_no_holes(rows, variables)) found.rows = told;
    return found;
}

// The choice

TableCounter& ContingencyTables::begin(const Question& question) {
    if (counts_.asks()) {
        asked_.begin(question);
        return asked_;
    }
    const Rows& rows = counts_.rows();
    if (rows.has_holes(question.x) || !have_no_holes(rows, question.given) || !have_no_holes(rows, question.candidates)) {
        complete_.begin(question);
        return complete_;
    }
    const auto candidates = static_cast<std::int64_t>(question.candidates.size());
    const std::int64_t columns = sum_of_levels(counts_, question.candidates);
    // Sets must be computed, and counted for each candidate; otherwise rows must be assigned to cells, and counted for
    // each.
    const std::int64_t most = (1 + candidates) * counts_.limits().most_cells_for_bits /
                              (counts_.levels(question.x) * (MAKING_CELLS + columns - candidates));
    if (!packed_.empty() && most > 0 && bits_.begin(question, most)) return bits_;
    if (places_.begin(question)) return places_;
    rows_.begin(question);
    return rows_;
}

}  // namespace stablebn
