// Hill climbing and tabu search over DAGs: one climbing loop for both (specification, section 3).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "search/dag.hpp"
#include "scores/family_scores.hpp"
#include "numeric/fixed.hpp"
#include "table/variable_set.hpp"
#include "runtime/views.hpp"

namespace stablebn {

/// Hill climbing has tabu = 0 and noinc = 0.
struct ClimbOptions {
    /// Number of visited DAGs that the search must not return to.
    int tabu = 0;
    /// Number of moves in sequence that may fail to improve on the best DAG.
    int noinc = 0;
    /// Limit for variables without a limit in the constraints.
    int most_parents = 0;
    std::int64_t most_steps = 0;
};

/// A move that was made; variables are given by position in the order.
struct Step {
    Move move, runner_up;
    Fixed change;
    double delta, next_delta;
    bool arbitrary;
};

/// Candidate families for the next steps of a climb, which other threads compute in advance. Families computed in vain
/// change nothing.
class Wishes {
public:
    struct Wish {
        /// Gain of the step.
        double gain;
        /// The child, by position; and the variables reachable from it, as bits of positions.
        int place;
        std::vector<std::uint64_t> reached;
        VariableSet parents;
    };

    /// Replace all families that no thread has taken; the last one is taken first.
    void set(std::vector<Wish> wishes);
    std::optional<Wish> take();

private:
    std::mutex mutex_;
    std::vector<Wish> wishes_;
    /// Written under the lock; read without it to check whether there is work.
    std::atomic<std::size_t> open_{0};
};

class Climber {
public:
    /// `start` has the parents of each variable, by number like the constraints, and obeys these.
    Climber(std::shared_ptr<FamilyScores> scores, std::vector<int> order, std::vector<VariableSet> start,
            ClimbOptions options, const Constraints& constraints);

    /// Repeat steps of an earlier run of the same climb, at its beginning, without computing gains in between.
    void replay(std::span<const Step> steps);

    /// Climb for about this many seconds, at least one step if possible; return whether the climb has ended because no
    /// move improves or all allowed steps are made. Up to `ahead` likely families are offered to other threads.
    bool advance(double seconds, std::size_t ahead = 0);
    /// Compute a family that is likely to be needed, and one that would be needed right after it; false if there is
    /// none. Other threads may call this during the climb.
    bool work_ahead();

    /// Whether no move improves.
    bool has_converged() const { return converged_; }
    const std::vector<Step>& steps() const { return steps_; }
    /// Number of steps to the best DAG, the earliest of equals.
    std::size_t best() const { return best_; }
    FamilyScores& scores() const { return *scores_; }

private:
    /// The gain of each change of the parents of the variable at a position.
    std::span<const Fixed> gains(int place);
    /// Same for all positions, once the arcs are set.
    void set_all_gains();
    void wish(std::size_t count);
    void make(const BestMoves& best);
    /// Change the graph and record its score: all of a step except the gains after it.
    void follow(const Step& step);

    std::shared_ptr<FamilyScores> scores_;
    std::vector<int> order_;
    std::vector<VariableSet> parents_;
    ClimbOptions options_;
    Dag dag_;
    std::vector<Step> steps_;
    std::size_t best_ = 0;
    int bad_ = 0;
    Fixed since_best_;
    /// By position, the family whose gains the graph refers to; null if the variable has no parents.
    std::vector<std::shared_ptr<const Family>> families_;
    bool converged_ = false;
    Wishes wishes_;
};

/// Run climbers for about this many seconds, in parallel if that pays; return whether all have ended.
bool climb_on(std::span<Climber* const> climbers, double seconds);

}  // namespace stablebn
