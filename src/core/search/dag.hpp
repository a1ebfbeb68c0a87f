// The DAG of a climb: its arcs and paths, the gain of every single-arc change, and the DAGs not to return to.
//
// Variables are numbered by their position in the processing order, so (from, to) compare as numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "numeric/fixed.hpp"
#include "runtime/pool.hpp"
#include "runtime/views.hpp"

namespace stablebn {

/// A change of one arc; for remove and reverse, (from, to) is the present arc.
struct Move {
    enum Kind { add, remove, reverse, none };
    Kind kind = none;
    int from = none;
    int to = none;
};

/// Constraints on every DAG of a climb.
struct Constraints {
    enum Arc : std::uint8_t { forbidden, free, required };
    /// Row v, column u: the constraint on the arc u -> v. Without rows all arcs are free.
    Matrix<std::uint8_t> arcs;
    /// Per variable; empty if the limit is the same for all.
    std::vector<int> most_parents;
};

/// The best allowed move, the runner-up, and their gains.
struct BestMoves {
    Move first, second;
    double delta, next_delta;
    /// Whether the order decided the direction of an added arc: the other direction was allowed and scored the same.
    bool arbitrary = false;
};

/// The last DAGs visited, each as its difference in arcs from the present one. A move leads to one of them exactly if
/// it undoes that difference, so no candidate graph is built and no hash is relied upon.
class TabuList {
public:
    /// Keeps the last `length` DAGs, including the present one.
    TabuList(int length, int variables);

    bool contains(Move move) const;
    /// An arc was added or removed.
    void toggle(int from, int to);
    /// Replace the oldest DAG by the present one.
    void remember();

private:
    int arc(int from, int to) const { return from * variables_ + to; }

    int variables_;
    std::size_t newest_ = 0;
    std::vector<std::vector<int>> differences_;
    std::vector<bool> known_;
};

class Dag {
public:
    /// Start with the empty graph; the constraints have the limits on parents. Required arcs must be added by the
    /// caller. `order` has the number of the variable at each position.
    Dag(std::vector<int> order, int tabu, Constraints constraints);

    int variables() const { return variables_; }
    int most_parents(int v) const { return constraints_.most_parents[v]; }
    bool is_allowed(int from, int to) const {
        return constraints_.arcs.empty() || constraints_.arcs(to, from) != Constraints::forbidden;
    }
    bool is_required(int from, int to) const {
        return !constraints_.arcs.empty() && constraints_.arcs(to, from) == Constraints::required;
    }
    bool has_arc(int from, int to) const { return is_parent_(to, from); }

    /// Add an arc before the search begins.
    void bring(int from, int to);
    /// Set the gains of all changes of parents, when all initial arcs are set, and derive the search state.
    void start(std::span<const std::span<const Fixed>> gains, Pool& pool);

    /// Set the gain of every change of v's parents, by number of the parent. The view must stay valid until the next
    /// call.
    void set_gains(int v, std::span<const Fixed> gains);
    /// Find the arcs into v whose addition gains most, ignoring cycles.
    void set_candidates(int v);

    /// The variables that a directed path from v reaches, including v, as bits.
    std::span<const std::uint64_t> reached(int v) const { return paths_[v]; }

    /// The change of score of a move.
    Fixed change(Move move) const;

    BestMoves best_moves();
    /// Up to `count` variables whose best additions gain most, as far as cycles are known; only those with a positive
    /// gain.
    std::span<const int> likely_children(std::size_t count);

    /// A possible parent and its gain.
    struct Candidate {
        double delta;
        int from;
    };
    /// The best new parent of v that closes no cycle, if one with a positive gain is known.
    std::optional<Candidate> likely_parent(int v) const;

    /// Change the DAG, its paths and its differences from the last DAGs.
    void make(Move move);

private:
    struct Arc {
        int from;
        /// -inf if the arc is required.
        double removal;
        /// -inf if the arc is required, or if the reverse arc is not allowed.
        double reversal;
    };

    Arc& arc(int from, int to);
    void read_gains(int v, std::span<const Fixed> gains);
    void weigh_arcs(int v);
    void weigh(int to, Arc& arc) const;
    void set_arc_bound(int v);
    bool comes_before(double delta, Move move, double other_delta, Move other) const;
    bool is_candidate(int v, int u) const;
    bool has_room(int v) const { return static_cast<int>(arcs_[v].size()) < most_parents(v); }
    std::span<const Candidate> candidates(int v) const { return candidates_[v].first(candidate_counts_[v]); }
    bool may_add(int u, int v) const;
    bool other_path(int u, int v) const;
    bool reaches(int u, int v) const { return paths_(u, v / 64) >> (v % 64) & 1; }
    void toggle(int from, int to);
    void find_all_paths();
    /// Update the paths of all ancestors after an arc was added or removed.
    void add_paths(int from, int to);
    void remove_paths(int from, int to);
    /// v and its ancestors, each after those of its children that are among them.
    std::span<const int> with_ancestors(int v);

    int variables_;
    std::vector<int> order_;
    Constraints constraints_;
    Matrix<std::uint8_t> is_parent_;
    /// The arcs into each variable, with the gains of removal and reversal; scanned in every step.
    std::vector<std::vector<Arc>> arcs_;
    std::vector<std::vector<int>> children_;
    /// Row u, as bits: the variables that a directed path from u reaches, including u.
    Matrix<std::uint64_t> paths_;
    /// For v, by number: the change of score if a variable joins or leaves its parents.
    std::vector<std::span<const Fixed>> gains_;
    /// Same by position, as doubles; -inf if the variable may not join.
    Matrix<double> deltas_;
    /// Upper bounds of the gains of changes of the arcs into v.
    std::vector<double> arc_bounds_;
    /// Row v: the few variables not adjacent to v that would gain most as its parents, best first, ignoring cycles; and
    /// their number. If the row is full, other variables gain at most as much as the last one.
    Matrix<Candidate> candidates_;
    std::vector<std::size_t> candidate_counts_;
    /// Upper bounds of the gains of added arcs into v, as far as cycles are known.
    std::vector<double> bounds_;
    /// Scratch memory of a step: marks, all 0 between uses; bounds and their variables; variables.
    std::vector<std::uint8_t> marks_;
    std::vector<std::pair<double, int>> waiting_;
    std::vector<int> found_;
    std::vector<std::pair<int, std::size_t>> open_;
    TabuList tabu_;
};

}  // namespace stablebn
