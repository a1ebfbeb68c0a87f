// Greedy search through Markov equivalence classes: insert, delete or turn an edge of some DAG of the class.
//
// For a target y every operator belongs to a clique C among the neighbours of y, its parents in the DAG that is changed
// besides those of the CPDAG; so one family (y, Pa(y) + C) scores all variables x at once. The operators of a target are kept
// sorted, and listed again only where edges around it changed (Ramsey et al. 2017). What can change anywhere in the graph is
// checked when an operator's turn comes: whether a semi-directed path makes it invalid, and whether a DAG of the class to
// which it leads obeys the constraints.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "search/equivalence_class.hpp"
#include "scores/family_scores.hpp"
#include "numeric/int128.hpp"

namespace stablebn {

/// Insert(x, y, T), Delete(x, y, H) or Turn(x, y, C), after which there is the edge x -> y. In the order in which a search
/// prefers operators of one kind: by falling gain, then by the places in the processing order of x, of y, and of the others.
struct EdgeOperator {
    enum Kind { deletion, turn, insertion };
    static constexpr int KINDS = 3;

    Kind kind;
    int x, y;
    /// T, H or C by place in the processing order.
    std::vector<int> others;
    Wide gain;
    /// Of insertions and turns: the neighbours of y that are its parents in the DAG that changes.
    BitSet clique;
};

class EquivalenceSearch {
public:
    /// `start` has the parents of each variable in a DAG of the first class; no variable may get more than `most_parents`.
    EquivalenceSearch(std::shared_ptr<FamilyScores> scores, std::vector<int> order, const std::vector<VariableSet>& start,
                      int most_parents, std::optional<ClassConstraints> constraints);

    /// For each variable those to which an insertion may join it; all if nothing is said.
    void set_partners(std::vector<BitSet> partners);
    /// For each variable those that improve its score as its only parent.
    std::vector<BitSet> dependent() const;

    /// Make the best valid operator that improves the score: of the first of some kinds that has one. None: there is none,
    /// or it is late, which is asked again and again.
    std::optional<EdgeOperator> step(std::span<const EdgeOperator::Kind> kinds, const std::function<bool()>& is_late);
    /// List all deletions of the class, the greatest gain first, for `delete_and_search`; so many were tried another time.
    void list_deletions(std::size_t tried);
    /// Make one listed deletion after another where it is still valid, whatever it costs; from each of these classes search on
    /// without inserting x -> y again, though y -> x may come. Stay at the first class with a higher score, and return the
    /// operators that led there; none if no deletion is left, or it is late. Deletions come first, then turns, then insertions
    /// (Nazaret and Blei 2024).
    std::vector<EdgeOperator> delete_and_search(const std::function<bool()>& is_late);
    /// How many of the listed deletions were tried.
    std::size_t tried() const { return tried_; }
    /// Make an operator that was made another time; `others` are variables.
    void repeat(EdgeOperator::Kind kind, int x, int y, const std::vector<int>& others);

    const EquivalenceClass& graph() const { return *now_.graph; }
    /// Variables by place in the processing order.
    const std::vector<int>& order() const { return order_; }

private:
    using Operators = std::vector<EdgeOperator>;
    /// A class, and the operators that improve it as far as they are listed; cheap to copy.
    struct State {
        std::shared_ptr<const EquivalenceClass> graph;
        std::array<std::vector<std::shared_ptr<const Operators>>, EdgeOperator::KINDS> operators;
        /// Targets whose operators must be listed again, by kind.
        std::array<BitSet, EdgeOperator::KINDS> stale;
    };
    using Pair = std::pair<int, int>;

    std::optional<EdgeOperator> step(State& state, std::span<const EdgeOperator::Kind> kinds, std::optional<Pair> barred);
    void refresh(State& state, EdgeOperator::Kind kind);
    Operators deletions(const EquivalenceClass& graph, int y, bool improving);
    /// A deletion that was listed for another class, with its gain here; none if it is not valid here.
    std::optional<EdgeOperator> deletion_now(const EdgeOperator& before);
    Operators turns(const EquivalenceClass& graph, int y);
    Operators insertions(const EquivalenceClass& graph, int y);
    /// The class to which an operator leads; null if it is not valid.
    std::shared_ptr<const EquivalenceClass> applied(const EquivalenceClass& graph, const EdgeOperator& own) const;
    PartiallyDirected changed(const EquivalenceClass& graph, EdgeOperator::Kind kind, int x, int y, const BitSet& others) const;
    void move_to(State& state, std::shared_ptr<const EquivalenceClass> graph) const;

    EdgeOperator make(EdgeOperator::Kind kind, int x, int y, const BitSet& others, Wide gain, BitSet clique) const;
    bool precedes(const EdgeOperator& a, const EdgeOperator& b) const;
    std::shared_ptr<const Family> family(int child, const BitSet& parents);
    /// Throw if it is late; most calls do not ask.
    void look_at_time();

    std::shared_ptr<FamilyScores> scores_;
    int n_;
    std::vector<int> order_, place_;
    int most_parents_;
    std::optional<ClassConstraints> constraints_;
    /// Of each variable, those that an edge may join to it, and those that a required arc does.
    std::vector<BitSet> joinable_, joined_;
    std::vector<BitSet> partners_;
    const std::function<bool()>* is_late_ = nullptr;
    int looks_ = 0;
    State now_;
    Operators forced_;
    std::size_t tried_ = 0;
};

}  // namespace stablebn
