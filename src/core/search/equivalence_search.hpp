// Greedy search among Markov equivalence classes: insert, delete or turn an edge of some DAG of the class.
//
// For a target y every operator belongs to a clique C among the neighbours of y: its parents, in the DAG that is
// changed, besides those of the CPDAG. So one family (y, Pa(y) + C) scores all variables x at once. The operators of a
// target are kept sorted, and listed again only if edges near it changed (Ramsey et al. 2017). Conditions that can
// change anywhere in the graph are checked when an operator is considered: whether a semi-directed path makes it
// invalid, and whether a DAG of the resulting class obeys the constraints.
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

/// Insert(x, y, T), Delete(x, y, H) or Turn(x, y, C), which leads to the edge x -> y. The comparison is the order of
/// preference among operators of one kind: by decreasing gain, then by the positions in the processing order of x, of
/// y, and of the others.
struct EdgeOperator {
    enum Kind { deletion, turn, insertion };
    static constexpr int KINDS = 3;

    Kind kind;
    int x, y;
    /// T, H or C, by position in the processing order.
    std::vector<int> others;
    Wide gain;
    /// For insertions and turns: the neighbours of y that are its parents in the DAG that changes.
    BitSet clique;
};

class EquivalenceSearch {
public:
    /// `start` has the parents of each variable in a DAG of the first class; no variable may get more than
    /// `most_parents`.
    EquivalenceSearch(std::shared_ptr<FamilyScores> scores, std::vector<int> order, const std::vector<VariableSet>& start,
                      int most_parents, std::optional<ClassConstraints> constraints);

    /// Set for each variable those to which an insertion may join it; all by default.
    void set_partners(std::vector<BitSet> partners);
    /// For each variable those that improve its score as its only parent.
    std::vector<BitSet> dependent() const;

    /// Apply the best valid operator that improves the score, of the first of the kinds that has one. Nothing if there
    /// is none, or `is_late`, which is called often, returns true.
    std::optional<EdgeOperator> step(std::span<const EdgeOperator::Kind> kinds, const std::function<bool()>& is_late);
    /// List all deletions of the class, greatest gain first, for `delete_and_search`; `tried` of them were tried in an
    /// earlier run.
    void list_deletions(std::size_t tried);
    /// Apply one listed deletion after another that is still valid, whatever its gain, and search on from each
    /// resulting class without inserting x -> y again, though y -> x is allowed. Stay at the first class with a higher
    /// score and return the operators that led there; empty if no deletion is left, or it is late. Deletions come
    /// first, then turns, then insertions (Nazaret and Blei 2024).
    std::vector<EdgeOperator> delete_and_search(const std::function<bool()>& is_late);
    /// Number of listed deletions that were tried.
    std::size_t tried() const { return tried_; }
    /// Apply an operator of an earlier run; `others` are variables.
    void repeat(EdgeOperator::Kind kind, int x, int y, const std::vector<int>& others);

    const EquivalenceClass& graph() const { return *now_.graph; }
    /// Variables by position in the processing order.
    const std::vector<int>& order() const { return order_; }

private:
    using Operators = std::vector<EdgeOperator>;
    /// A class and its improving operators listed so far; cheap to copy.
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
    /// A deletion that was listed for another class, with its gain in this one; nothing if it is not valid here.
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
    /// Throw if it is late; most calls do not check.
    void look_at_time();

    std::shared_ptr<FamilyScores> scores_;
    int n_;
    std::vector<int> order_, place_;
    int most_parents_;
    std::optional<ClassConstraints> constraints_;
    /// For each variable, those that an edge may join to it, and those that a required arc joins to it.
    std::vector<BitSet> joinable_, joined_;
    std::vector<BitSet> partners_;
    const std::function<bool()>* is_late_ = nullptr;
    int looks_ = 0;
    State now_;
    Operators forced_;
    std::size_t tried_ = 0;
};

}  // namespace stablebn
