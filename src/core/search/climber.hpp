// Hill climbing and tabu search: the one climbing loop (specification, section 3).
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

/// Hill climbing is the case of no tabu list and no patience.
struct ClimbOptions {
    /// How many of the last DAGs may not be visited again.
    int tabu = 0;
    /// How many moves that do not improve the score are tolerated since the best one.
    int noinc = 0;
    /// Of a variable of which the constraints do not say it.
    int most_parents = 0;
    std::int64_t most_steps = 0;
};

/// What was done, with variables by place in the order.
struct Step {
    Move move, runner_up;
    Fixed change;
    double delta, next_delta;
    bool arbitrary;
};

/// Families that the next steps of a climb are likely to ask for: other threads take them and work them out meanwhile.
/// Those that are worked out in vain change nothing.
class Wishes {
public:
    struct Wish {
        /// What the step would bring.
        double gain;
        /// The child, by place; and by places, as bits, the variables that can be reached from it.
        int place;
        std::vector<std::uint64_t> reached;
        VariableSet parents;
    };

    /// In place of all wishes that nobody has taken; the last one is taken first.
    void set(std::vector<Wish> wishes);
    std::optional<Wish> take();

private:
    std::mutex mutex_;
    std::vector<Wish> wishes_;
    /// Written under the lock, read without it by those who only look whether there is something.
    std::atomic<std::size_t> open_{0};
};

class Climber {
public:
    /// `start` has the parents of each variable, by number like the constraints, and obeys these.
    Climber(std::shared_ptr<FamilyScores> scores, std::vector<int> order, std::vector<VariableSet> start,
            ClimbOptions options, const Constraints& constraints);

    /// Make steps again that the same climb has made before, at its beginning: nothing is worked out on the way.
    void replay(std::span<const Step> steps);

    /// Climb on for so many seconds, by one step at least if there are any; whether the climb has ended: no move is worth
    /// it, or all steps are made. As many as `ahead` of the families that are likely to be asked for are left for other
    /// threads to work out.
    bool advance(double seconds, std::size_t ahead = 0);
    /// Work out a family that is likely to be asked for, and one that would be asked for at once after it; false if there
    /// is none. Other threads may call this while the climb goes on.
    bool work_ahead();

    /// Whether no move is worth it.
    bool has_converged() const { return converged_; }
    const std::vector<Step>& steps() const { return steps_; }
    /// How many steps led to the best DAG, the earliest of equals.
    std::size_t best() const { return best_; }
    FamilyScores& scores() const { return *scores_; }

private:
    /// What each change of the parents of the variable at a place brings.
    std::span<const Fixed> gains(int place);
    /// Of all places, once the arcs are there.
    void set_all_gains();
    void wish(std::size_t count);
    void make(const BestMoves& best);
    /// Change the graph, and note how good it is: all of a step but what other moves are worth after it.
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
    /// Of each place, whose gains the graph looks at; none where the variable has no parents.
    std::vector<std::shared_ptr<const Family>> families_;
    bool converged_ = false;
    Wishes wishes_;
};

/// Let climbers climb on for so many seconds, at once where that pays; whether all have ended.
bool climb_on(std::span<Climber* const> climbers, double seconds);

}  // namespace stablebn
