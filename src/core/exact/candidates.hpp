// Candidate parent sets: of each variable the sets that can be its parents in some best DAG.
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

/// A set of parents, and what its child gains with it over having none.
struct Candidate {
    VariableSet parents;
    Wide gain;
};

/// Finds, level by level, every set of parents that scores more than each of its subsets less some slack, among sets that
/// have all required parents.
///
/// Without slack no other is needed: a best DAG stays one when parents that need not be are taken away without a loss. With
/// a slack of one unit more than a margin, no other is in a DAG within the margin of the best: if a subset Q of the parents P
/// of v scores score(P) + slack or more, the DAG with Q in place of P scores that much more, and the best one no less than it.
/// What bounds tell of supersets only spares the looking: a set that is never looked at has a subset that scores as much
/// as it and the slack.
class CandidateSearch {
public:
    /// `allowed` says of each child and parent whether the arc may be, where it is not empty; `required` has by child the
    /// parents that must be, which it can have; `most_parents` is by child, and no less than those. No more than
    /// `most_scored` sets are scored: a level that would need more is not begun, nor one after `most_found` were found.
    CandidateSearch(std::shared_ptr<FamilyScores> scores, Matrix<std::uint8_t> allowed, std::vector<VariableSet> required,
                    std::vector<int> most_parents, std::int64_t most_scored, std::int64_t most_found, Wide slack = 0);

    /// Go on for so many seconds; whether all levels are done, or the limit is met.
    bool go_on(double seconds);

    /// Whether every set was looked at or shown to be no candidate.
    bool complete() const { return ended_ && !limited_; }
    /// Whether the next level was not begun because there were too many candidates, though not too many sets to score.
    bool found_too_many() const { return found_too_many_; }
    /// Parents of the sets of the last level that is done, besides the required ones.
    int level() const { return level_; }
    /// Sets of the levels that are done.
    std::int64_t scored() const { return scored_; }
    /// Candidates of all children.
    std::int64_t found() const;
    /// What was found, by growing size; the first is the set of the required parents, mostly empty.
    std::span<const Candidate> candidates(int child) const { return found_[child]; }
    /// Where the limit was met: what a child gains at most with more parents than were looked at; none where no bound is
    /// known. It is no more than 0 where there are no such sets. It takes about so many nanoseconds at most: if bounds of all
    /// sets of the last level take more, it is the highest bound of their first few members, which is no lower.
    std::optional<Wide> most_beyond(int child, double nanoseconds);

private:
    /// Sets of one child and one size whose supersets may be candidates: members that are not required, one set after the
    /// other, the sets in lexicographic order.
    struct Level {
        std::vector<std::uint16_t> members;
        /// By set: what the child gains with it, and with the best of its subsets, itself included.
        std::vector<Wide> gain, best;

        std::size_t size() const { return gain.size(); }
    };
    /// The sets of the next size of one child that are to be scored: each the set `from` of this level with one more.
    struct Growth {
        std::vector<std::uint32_t> from;
        std::vector<std::uint16_t> more;
        std::vector<Wide> gain, best;
    };
    /// A set of this level whose extensions are to be scored: they are neighbours in the growth. `family` has its child too.
    struct Job {
        VariableSet family;
        int child;
        std::uint32_t begin, end;
    };

    struct Places {
        std::size_t begin, end;
    };

    std::span<const std::uint16_t> members(int child, std::size_t at) const;
    /// All parents of a set of this level, the required ones too.
    VariableSet set(int child, std::size_t at) const { return set(child, at, static_cast<std::size_t>(level_)); }
    /// The first so many members of a set of this level, and the required parents.
    VariableSet set(int child, std::size_t at, std::size_t size) const;
    /// What a child gains with its required parents, over having none.
    Wide gain_of_required(int child);
    /// Where the sets of this level stand that have some variables and one more, which comes after them.
    Places beginning_with(int child, std::span<const std::uint16_t> first) const;
    void begin_level();
    /// Work out all sets beforehand, where that takes less time than scoring so many one by one.
    void perhaps_know_all_sets(std::int64_t wanted);
    /// `wanted` counts the sets of all children: once there are too many, no more are looked for.
    void grow(int child, std::atomic<std::int64_t>& wanted);
    void make_jobs();
    /// Score the extensions of jobs one after the other; those of the same family at once.
    void score(std::span<const Job> jobs);
    void end_level();
    /// Keep what is a candidate, and what may have supersets that are.
    /// The next level of a child, and its candidates among those that were scored.
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
