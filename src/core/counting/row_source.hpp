// Counts of rows that are not in this process: blocks on disk, a cluster, a GPU.
//
// A source answers many queries in one pass over its rows. Answers are integers that add up over any split of the rows,
// so they are the same wherever the rows are counted.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "runtime/views.hpp"
#include "numeric/int128.hpp"

namespace stablebn {

/// Query: the number of rows, by weight, with all levels of a configuration and one more level.
struct Crossing {
    /// One row per configuration: a level of each of some variables, the same variables in all rows. Levels are
    /// numbered over all variables, those of the first variable first; variables with too many levels have none.
    Matrix<int> configurations;
    /// Levels of other variables. The answer is [levels x configurations].
    std::vector<int> levels;
};

/// Query: the configurations of some variables that occur, and the number of their rows, by weight.
struct Listing {
    std::vector<int> variables;
};

/// Query: in every configuration of some categorical variables, the sums of a continuous column and of its products
/// with another, by weight. Columns are standardised and in fixed point, see `standardise`.
struct Summing {
    std::vector<int> variables;
    int x, y;
};

/// Configurations as integers of 64 bits: as many variables as fit share one, the last variable fastest.
class ConfigurationKeys {
public:
    /// `levels`: the number of levels of each variable.
    explicit ConfigurationKeys(std::span<const int> levels);

    /// Number of integers per configuration; at least one.
    std::size_t words() const { return words_; }
    /// Write the key of a configuration, given a function that returns the code of each variable.
    template <class CodeOf>
    void write(const CodeOf& code_of, std::uint64_t* key) const {
        for (std::size_t w = 0; w < words_; ++w) key[w] = 0;
        for (std::size_t at = 0; at < places_.size(); ++at) {
            key[places_[at].word] += static_cast<std::uint64_t>(code_of(at)) * places_[at].stride;
        }
    }
    /// The code of the variable at an index.
    std::uint64_t code(const std::uint64_t* key, std::size_t at) const {
        return key[places_[at].word] / places_[at].stride % places_[at].levels;
    }

private:
    struct Place {
        std::size_t word;
        std::uint64_t stride, levels;
    };
    std::vector<Place> places_;
    std::size_t words_ = 1;
};

/// The configurations that occur, as keys [count x words], and the number of rows of each, by weight.
struct Listed {
    std::vector<std::uint64_t> keys;
    std::vector<std::int64_t> counts;
};

/// Same, with the sums of each.
struct Summed {
    std::vector<std::uint64_t> keys;
    std::vector<Wide> sums, products;
};

struct Questions {
    std::vector<Crossing> crossings;
    std::vector<Listing> listings;
    std::vector<Summing> summings;
};

struct Answers {
    std::vector<Matrix<std::int64_t>> crossed;
    std::vector<Listed> listed;
    std::vector<Summed> summed;
};

/// Counts rows that are not in this process.
class RowSource {
public:
    virtual ~RowSource() = default;

    /// Send queries. Queries of other threads that arrive while answers are pending are combined into the next pass.
    Answers ask(Questions questions);

protected:
    /// Answer all queries in one pass over the rows; called by one thread at a time.
    virtual Answers answer(const Questions& questions) = 0;

private:
    using Clock = std::chrono::steady_clock;

    struct Waiting {
        Questions questions;
        Answers answers;
        std::exception_ptr error;
        bool answered = false;
    };

    void answer_together(std::span<const std::shared_ptr<Waiting>> all);

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::shared_ptr<Waiting>> waiting_;
    bool asking_ = false;
    Clock::duration last_pass_{};
};

}  // namespace stablebn
