// Where counts come from when the rows are not in this process: blocks on disk, a cluster, a GPU.
//
// Whoever has the rows is asked many questions at once, so that one pass over them answers all, and answers in integers,
// which add up over any split of the rows: wherever they are counted, they are the same.
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

/// How many rows, by weight, have all levels of a configuration and one level more?
struct Crossing {
    /// A row for each configuration: a level of each of some variables, the same in all rows. Levels have numbers of their
    /// own: those of the first variable come first, and variables with too many levels have none.
    Matrix<int> configurations;
    /// Levels of other variables. The answer is [levels x configurations].
    std::vector<int> levels;
};

/// Which configurations of some variables occur, and in how many rows, by weight?
struct Listing {
    std::vector<int> variables;
};

/// In every configuration of some categorical variables, what are the sums of a continuous column and of its products with
/// another, by weight? Columns are standardised and in fixed point, see `standardise`.
struct Summing {
    std::vector<int> variables;
    int x, y;
};

/// Configurations written as integers of 64 bits: as many variables as fit share one, the last variable fastest.
class ConfigurationKeys {
public:
    /// Of variables with so many levels.
    explicit ConfigurationKeys(std::span<const int> levels);

    /// How many integers a configuration takes; at least one.
    std::size_t words() const { return words_; }
    /// Write the key of a configuration, given the code of each variable.
    template <class CodeOf>
    void write(const CodeOf& code_of, std::uint64_t* key) const {
        for (std::size_t w = 0; w < words_; ++w) key[w] = 0;
        for (std::size_t at = 0; at < places_.size(); ++at) {
            key[places_[at].word] += static_cast<std::uint64_t>(code_of(at)) * places_[at].stride;
        }
    }
    /// The code of the variable at a place.
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

/// The configurations that occur, as keys [count x words], and the rows of each, by weight.
struct Listed {
    std::vector<std::uint64_t> keys;
    std::vector<std::int64_t> counts;
};

/// The same with the sums of each.
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

/// Somebody who has the rows.
class RowSource {
public:
    virtual ~RowSource() = default;

    /// Ask. Questions that other threads ask while answers are awaited are put together and asked next, all at once.
    Answers ask(Questions questions);

protected:
    /// One pass over the rows; called by one thread at a time.
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
