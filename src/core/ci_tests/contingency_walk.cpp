#include "ci_tests/contingency_walk.hpp"

#include <algorithm>
#include <utility>

namespace stablebn {

namespace {

// Factor of the cell limit for bits if all cells of a table are counted.
constexpr double SHARE_OF_CELLS = 0.5;

}  // namespace

bool SimilarTables::suit(double cells) const {
    return !counts_.asks() && cells <= std::min(static_cast<double>(counts_.rows().count), MOST_PLACES);
}

Sums SimilarTables::sums(int x, int y, std::span<const int> given, double cells) {
    const int w = given.back();
    wanted_.assign(given.begin(), given.end() - 1);
    wanted_.push_back(x);
    wanted_.push_back(y);
    if (wanted_ != family_) {
        std::swap(wanted_, family_);
        sets_.clear();
        places_.clear();
    }
    const int levels = counts_.levels(w);
    std::span<std::int64_t> counted;
    if (!packed_.empty() && cells <= SHARE_OF_CELLS * static_cast<double>(counts_.limits().most_cells_for_bits)) {
        if (sets_.empty()) make_sets();
        counted = cells_.take(static_cast<std::size_t>(cells));
        count_by_bits(w, counted);
    } else {
        if (places_.empty()) places_ = configurations(counts_.rows(), family_);
        counted = cells_.take_zeros(static_cast<std::size_t>(cells));
        add_rows(places_, counts_.rows().columns[w], levels, counts_.rows().weights, counted.data());
    }
    return {information(counted, counts_.levels(x), counts_.levels(y), levels)};
}

/// The rows of every configuration of the family, the last variable fastest, as bits.
void SimilarTables::make_sets() {
    const std::size_t words = packed_.words();
    for (const int v : family_) {
        const int levels = counts_.levels(v);
        finer_sets_.clear();
        if (sets_.empty()) {
            for (int level = 0; level < levels; ++level) finer_sets_.push_back(packed_[counts_.first(v) + level]);
        } else {
            Word* free = finer_words_.take(sets_.size() * levels * words).data();
            for (const Word* set : sets_) {
                for (int level = 0; level < levels; ++level, free += words) {
                    const Word* own = packed_[counts_.first(v) + level];
                    for (std::size_t at = 0; at < words; ++at) free[at] = set[at] & own[at];
                    finer_sets_.push_back(free);
                }
            }
            std::swap(set_words_, finer_words_);
        }
        std::swap(sets_, finer_sets_);
    }
    sizes_.clear();
    for (const Word* set : sets_) sizes_.push_back(common(set, set, words));
}

/// The table of the sets and the levels of one more variable, these fastest.
void SimilarTables::count_by_bits(int w, std::span<std::int64_t> cells) {
    const std::size_t levels = counts_.levels(w), count = sets_.size();
    levels_.clear();
    for (std::size_t level = 1; level < levels; ++level) levels_.push_back(packed_[counts_.first(w) + level]);
    const auto met = met_.take_zeros(levels_.size() * count);
    add_common(levels_, sets_, packed_.words(), met.data(), count);
    for (std::size_t k = 0; k < count; ++k) {
        std::int64_t* own = cells.data() + k * levels;
        own[0] = sizes_[k];
        for (std::size_t level = 1; level < levels; ++level) {
            own[level] = met[(level - 1) * count + k];
            own[0] -= own[level];
        }
    }
}

/// G2 / 2 of x and y, of r and c levels, given a last variable and the variables before it.
Fixed SimilarTables::information(std::span<const std::int64_t> cells, int r, int c, int levels) {
    const LogTable& m_ln_m = counts_.m_ln_m();
    const auto columns = columns_.take(c);
    Fixed sum;
    const std::size_t block = std::size_t(r) * c * levels;
    for (std::size_t corner = 0; corner < cells.size(); corner += block) {
        for (std::size_t start = corner; start < corner + levels; ++start) {
            std::fill(columns.begin(), columns.end(), 0);
            const std::int64_t* cell = cells.data() + start;
            std::int64_t size = 0;
            for (int i = 0; i < r; ++i) {
                std::int64_t row = 0;
                for (int j = 0; j < c; ++j, cell += levels) {
                    row += *cell;
                    columns[j] += *cell;
                    sum += m_ln_m[*cell];
                }
                size += row;
                sum -= m_ln_m[row];
            }
            for (const std::int64_t column : columns) sum -= m_ln_m[column];
            sum += m_ln_m[size];
        }
    }
    return sum;
}

ContingencyWalk::ContingencyWalk(std::shared_ptr<const ContingencyTest> test, int x, int y, std::vector<int> always,
                                 SubsetCursor subsets, double alpha, std::shared_ptr<const CriticalValues> critical)
    : test_(std::move(test)),
      x_(x),
      y_(y),
      always_(always.size()),
      subsets_(std::move(subsets)),
      alpha_(alpha),
      critical_(std::move(critical)),
      given_(std::move(always)),
      tables_(test_->tables()),
      similar_(*test_) {}

double ContingencyWalk::test_subset() {
    given_.resize(always_);
    for (int at = 0; at < subsets_.size(); ++at) given_.push_back(subsets_[at]);
    const Counts& counts = test_->counts();
    const double configurations = states(counts.rows(), given_);
    const double cells = configurations * counts.levels(x_) * counts.levels(y_);
    const bool known = test_->knows_all(x_, given_) && !counts.rows().has_holes(y_);
    if (!subsets_.size() || !test_->is_plain() || !known || !similar_.suit(cells)) {
        return test_->outcome(tables_, x_, y_, given_, {critical_.get(), true, false}).p_value;
    }
    return test_->judge(similar_.sums(x_, y_, given_, cells), x_, y_, configurations, {critical_.get(), true, false}).p_value;
}

bool ContingencyWalk::advance(int most) {
    for (int made = 0; made < most && !found_ && !subsets_.ended(); ++made) {
        ++tests_;
        if (subsets_.is_new()) {
            greatest_ = std::max(greatest_, test_subset());
            found_ = greatest_ > alpha_;
        }
        if (!found_) subsets_.next();
    }
    return !found_ && !subsets_.ended();
}

}  // namespace stablebn
