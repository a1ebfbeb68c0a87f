// The DAG of a climb: its arcs and paths, what every single-arc change would bring, and the DAGs not to return to.
//
// Variables are numbered by their place in the processing order, so (from, to) compare as numbers.
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

/// A change of one arc; (from, to) is the arc as it stands for remove and reverse.
struct Move {
    enum Kind { add, remove, reverse, none };
    Kind kind = none;
    int from = none;
    int to = none;
};

/// What every DAG of a climb obeys.
struct Constraints {
    enum Arc : std::uint8_t { forbidden, free, required };
    /// Row v, column u: what is said of the arc u -> v. Without rows all are free.
    Matrix<std::uint8_t> arcs;
    /// Of each variable. Empty where it is the same of all.
    std::vector<int> most_parents;
};

/// The best allowed move, the runner-up, and what they would bring.
struct BestMoves {
    Move first, second;
    double delta, next_delta;
    /// An arc is added, and only the order chose its direction: the other one was allowed and as good.
    bool arbitrary = false;
};

/// The last DAGs visited, each as the arcs in which it differs from the present one. A move leads into one of them
/// exactly if it undoes that difference: so no candidate graph is ever built and no hash is ever trusted.
class TabuList {
public:
    /// The last `length` DAGs, the present one among them.
    TabuList(int length, int variables);

    bool contains(Move move) const;
    /// An arc was brought or taken away.
    void toggle(int from, int to);
    /// The present DAG takes the oldest one's place.
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
    /// The empty graph; the constraints say the most parents of each variable. Required arcs must be brought. `order` has
    /// the number of the variable at each place.
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

    /// Bring an arc, before the search begins.
    void bring(int from, int to);
    /// When all arcs are there, what every change of the parents of each variable brings, and what follows from that.
    void start(std::span<const std::span<const Fixed>> gains, Pool& pool);

    /// What every change of v's parents brings, by number of the parent; it is looked at until others are set.
    void set_gains(int v, std::span<const Fixed> gains);
    /// Find the arcs into v whose addition gains most, but for cycles.
    void set_candidates(int v);

    /// The variables to which a directed path leads from v, itself among them, as bits.
    std::span<const std::uint64_t> reached(int v) const { return paths_[v]; }

    /// What a move changes the score by.
    Fixed change(Move move) const;

    BestMoves best_moves();
    /// So many variables whose best additions gain most, as far as is known of cycles; fewer where fewer gain anything.
    std::span<const int> likely_children(std::size_t count);

    /// A variable that could become a parent, and what that would bring.
    struct Candidate {
        double delta;
        int from;
    };
    /// The best new parent of v that closes no cycle, if one is known that gains something.
    std::optional<Candidate> likely_parent(int v) const;

    /// Change the DAG, its paths and its differences from the last ones.
    void make(Move move);

private:
    struct Arc {
        int from;
        /// -inf where it is required.
        double removal;
        /// -inf where it is required, or the variable it comes from may not have the other one as parent.
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
    /// An arc was added, or taken away: find the paths of the variables from which it can be reached.
    void add_paths(int from, int to);
    void remove_paths(int from, int to);
    /// v and the variables from which it can be reached, each after those of its children that are among them.
    std::span<const int> with_ancestors(int v);

    int variables_;
    std::vector<int> order_;
    Constraints constraints_;
    Matrix<std::uint8_t> is_parent_;
    /// The arcs into each variable, with what it would bring to remove or reverse them: looked at in every step.
    std::vector<std::vector<Arc>> arcs_;
    std::vector<std::vector<int>> children_;
    /// Row u, as bits: the variables to which a directed path leads from u, itself among them.
    Matrix<std::uint64_t> paths_;
    /// Of v, by number, the change of score when a variable joins its parents, or leaves them.
    std::vector<std::span<const Fixed>> gains_;
    /// The same by place, as doubles, -inf where it may not join.
    Matrix<double> deltas_;
    /// No change of an arc into v gains more.
    std::vector<double> arc_bounds_;
    /// Row v: of the variables not joined to v, the few that would gain most as its parents, the best first, whether or
    /// not they close a cycle; and how many these are. If it is full, others may gain as much as the last one, not more.
    Matrix<Candidate> candidates_;
    std::vector<std::size_t> candidate_counts_;
    /// No arc that could be added to v gains more, as far as is known of cycles.
    std::vector<double> bounds_;
    /// Scratch memory of a step: marks, all 0 between two uses; bounds, and whose they are; variables.
    std::vector<std::uint8_t> marks_;
    std::vector<std::pair<double, int>> waiting_;
    std::vector<int> found_;
    std::vector<std::pair<int, std::size_t>> open_;
    TabuList tabu_;
};

}  // namespace stablebn
