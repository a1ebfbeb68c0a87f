// The DAG of a climb: its arcs and paths, what every single-arc change would bring, and the DAGs not to return to.
//
// Variables are numbered by their place in the processing order, so (from, to) compare as numbers.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fixed.hpp"
#include "views.hpp"

namespace stablebn {

/// A change of one arc; (from, to) is the arc as it stands for remove and reverse.
struct Move {
    enum Kind { add, remove, reverse, none };
    Kind kind = none;
    int from = none;
    int to = none;
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
    /// The empty graph. `allowed(v, u)`: u may become a parent of v; all may where it has no rows.
    Dag(int variables, int most_parents, int tabu, Matrix<std::uint8_t> allowed);

    int variables() const { return variables_; }
    bool has_arc(int from, int to) const { return is_parent_(to, from); }

    /// Bring an arc, before the search begins; `start` must be called when all are there.
    void bring(int from, int to);
    void start();

    /// Write what every change of v's parents brings, by place of the parent.
    void set_gains(int v, std::span<const Fixed> gains);
    /// Find the most that an arc which could be added to v gains, but for cycles.
    void set_ceiling(int v);

    /// What a move changes the score by.
    Fixed change(Move move) const;

    BestMoves best_moves();
    /// Change the DAG, its paths and its differences from the last ones.
    void make(Move move);

private:
    struct Arc {
        int from;
        double removal;
        /// -inf where the variable it comes from may not have the other one as parent.
        double reversal;
    };

    Arc& arc(int from, int to);
    void weigh(int to, Arc& arc) const;
    void set_arc_bound(int v);
    bool comes_before(double delta, Move move, double other_delta, Move other) const;
    bool is_candidate(int v, int u) const;
    bool may_add(int u, int v) const;
    bool other_path(int u, int v) const;
    bool reaches(int u, int v) const { return paths_(u, v / 64) >> (v % 64) & 1; }
    void toggle(int from, int to);
    void find_paths();

    int variables_;
    int most_parents_;
    Matrix<std::uint8_t> allowed_;
    Matrix<std::uint8_t> is_parent_;
    /// The arcs into each variable, with what it would bring to remove or reverse them: looked at in every step.
    std::vector<std::vector<Arc>> arcs_;
    std::vector<std::vector<int>> children_;
    /// Row u, as bits: the variables to which a directed path leads from u, itself among them.
    Matrix<std::uint64_t> paths_;
    /// The change of score when u joins the parents of v, or leaves them; and as doubles, -inf where it may not join.
    Matrix<Fixed> gains_;
    Matrix<double> deltas_;
    /// No change of an arc into v gains more.
    std::vector<double> arc_bounds_;
    /// No arc that could be added to v gains more: of those between v and variables not joined to it, and of those
    /// among them that close no cycle, as far as that is known.
    std::vector<double> ceilings_, bounds_;
    /// Scratch memory of a step: marks, all 0 between two uses; bounds, and whose they are.
    std::vector<std::uint8_t> is_child_;
    std::vector<std::pair<double, int>> waiting_;
    TabuList tabu_;
};

}  // namespace stablebn
