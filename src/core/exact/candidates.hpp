// Candidate parent sets: for each variable the sets that can be its parents in some best DAG.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "scores/family_scores.hpp"
#include "table/variable_set.hpp"
#include "runtime/views.hpp"
#include "numeric/int128.hpp"

namespace stablebn {

/// A parent set, and the gain of its child over having no parents.
struct Candidate {
    VariableSet parents;
    Wide gain;
};

/// Finds, by number of parents, every parent set that scores more than each of its subsets less some slack, among sets
/// that include all required parents.
///
/// Without slack no other set is needed: a best DAG stays best if superfluous parents are removed. With a slack of one
/// unit more than a margin, no other set is in a DAG within the margin of the best: if a subset Q of the parents P of v
/// scores score(P) + slack or more, the DAG with Q in place of P scores that much more, and the best DAG no less.
/// Bounds for supersets only save work: a set that is skipped has a subset that scores at least as much as it and the
/// slack.
class CandidateSearch {
public:
    /// `allowed`: whether each child may have each parent, if not empty; `required`: by child, the required parents,
    /// which it can have; `most_parents`: by child, at least the number of these. At most `most_scored` sets are
    /// scored: a level that needs more is not begun, nor one after `most_found` candidates.
    CandidateSearch(std::shared_ptr<FamilyScores> scores, Matrix<std::uint8_t> allowed, std::vector<VariableSet> required,
                    std::vector<int> most_parents, std::int64_t most_scored, std::int64_t most_found, Wide slack = 0);

    /// Search for about this many seconds; return whether all levels are done, or a limit is reached.
    bool go_on(double seconds);

    /// Whether every set was scored or proven to be no candidate.
    bool complete() const { return ended_ && !limited_; }
    /// Whether the next level was not begun because of too many candidates, though not of too many sets to score.
    bool found_too_many() const { return found_too_many_; }
    /// Number of parents of the sets of the last finished level, besides the required ones.
    int level() const { return level_; }
    /// Number of scored sets of finished levels.
    std::int64_t scored() const { return scored_; }
    /// Number of candidates of all children.
    std::int64_t found() const;
    /// The candidates of a child, by size; the first is the set of the required parents, mostly empty.
    std::span<const Candidate> candidates(int child) const { return found_[child]; }
    /// If a limit was reached: upper bound of the gain of a child with more parents than were scored; nothing if no
    /// bound is known. At most 0 if there are no such sets. It takes about `nanoseconds` at most: if bounds of all sets of
    /// the last level take longer, it is the highest bound of the sets of their first few members, which is no lower.
    std::optional<Wide> most_beyond(int child, double nanoseconds);

private:
    /// Sets of one child and one size whose supersets may be candidates: the members that are not required, set after
    /// set in lexicographic order.
    struct Level {
        std::vector<std::uint16_t> members;
        /// By set: the gain of the child with it, and with the best of its subsets, including itself.
        std::vector<Wide> gain, best;

        std::size_t size() const { return gain.size(); }
    };
    /// The sets of the next size of one child to score: each is the set `from` of this level and one more variable.
    struct Growth {
        std::vector<std::uint32_t> from;
        std::vector<std::uint16_t> more;
        std::vector<Wide> gain, best;
    };
    /// A set of this level whose extensions, which are adjacent in the growth, are to be scored. `family` includes its
    /// child.
    struct Job {
        VariableSet family;
        int child;
        std::uint32_t begin, end;
    };

    struct Places {
        std::size_t begin, end;
    };

    std::span<const std::uint16_t> members(int child, std::size_t at) const;
    /// All parents of a set of this level, including the required ones.
    VariableSet set(int child, std::size_t at) const { return set(child, at, static_cast<std::size_t>(level_)); }
    /// The first `size` members of a set of this level, and the required parents.
    VariableSet set(int child, std::size_t at, std::size_t size) const;
    /// The gain of a child with its required parents, over having none.
    Wide gain_of_required(int child);
    /// The range of sets of this level that begin with some variables.
    Places beginning_with(int child, std::span<const std::uint16_t> first) const;
    void begin_level();
    /// Compute all sets in advance if that is faster than scoring `wanted` sets one by one.
    void perhaps_know_all_sets(std::int64_t wanted);
    /// `wanted` counts the sets of all children; beyond the limit the enumeration stops.
    void grow(int child, std::atomic<std::int64_t>& wanted);
    void make_jobs();
    /// Score the extensions of jobs in sequence; those of the same family together.
    void score(std::span<const Job> jobs);
    void end_level();
    /// Keep candidates, and sets that may have candidates as supersets: the next level of a child, and its new
    /// candidates.
    struct Sifted {
        Level level;
        std::vector<Candidate> found;
    };
    Sifted sift(int child) const;

    std::shared_ptr<FamilyScores> scores_;
    Matrix<std::uint8_t> allowed_;
    std::vector<VariableSet> required_;
    /// Besides the required ones.
    std::vector<int> most_parents_;
    std::int64_t most_scored_, most_found_;
    Wide slack_;
    int level_ = 0;
    bool asked_for_all_sets_ = false;
    bool begun_ = false, ended_ = false, limited_ = false, found_too_many_ = false;
    std::int64_t scored_ = 0, wanted_ = 0;
    std::vector<Level> levels_;
    std::vector<Growth> growth_;
    std::vector<Job> jobs_;
    std::size_t next_job_ = 0;
    std::vector<std::vector<Candidate>> found_;
};

}  // namespace stablebn
