#include "search/climber.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace stablebn {

namespace {

using Clock = std::chrono::steady_clock;

// Searching for likely families costs a considerable part of a step.
constexpr std::size_t STEPS_BETWEEN_WISHES = 4;

/// Constraints by position, with the most parents of every variable, at most `no_more`.
Constraints by_place(const Constraints& constraints, std::span<const int> order, int usual, int no_more) {
    const auto& arcs = constraints.arcs;
    Constraints placed{Matrix<std::uint8_t>(arcs.rows(), arcs.columns()), {}};
    for (std::size_t v = 0; v < arcs.rows(); ++v) {
        for (std::size_t u = 0; u < arcs.columns(); ++u) placed.arcs(v, u) = arcs(order[v], order[u]);
    }
    for (const int v : order) {
        const int most = constraints.most_parents.empty() ? usual : constraints.most_parents[v];
        placed.most_parents.push_back(std::min(most, no_more));
    }
    return placed;
}

}  // namespace

void Wishes::set(std::vector<Wish> wishes) {
    const std::lock_guard lock(mutex_);
    wishes_ = std::move(wishes);
    open_ = wishes_.size();
}

std::optional<Wishes::Wish> Wishes::take() {
    if (!open_) return std::nullopt;
    const std::lock_guard lock(mutex_);
    if (wishes_.empty()) return std::nullopt;
    auto wish = std::move(wishes_.back());
    wishes_.pop_back();
    open_ = wishes_.size();
    return wish;
}

Climber::Climber(std::shared_ptr<FamilyScores> scores, std::vector<int> order, std::vector<VariableSet> start,
                 ClimbOptions options, const Constraints& constraints)
    : scores_(std::move(scores)),
      order_(std::move(order)),
      parents_(std::move(start)),
      options_(options),
      dag_(order_, options.tabu, by_place(constraints, order_, options.most_parents, scores_->most_parents())),
      families_(order_.size()) {
    const int n = scores_->variables();
    std::vector<int> place(n);
    for (int p = 0; p < n; ++p) place[order_[p]] = p;
    for (int v = 0; v < n; ++v) {
        for (const int u : parents_[v]) dag_.bring(place[u], place[v]);
    }
    set_all_gains();
}

void Climber::set_all_gains() {
    std::vector<std::span<const Fixed>> all;
    for (int p = 0; p < dag_.variables(); ++p) all.push_back(gains(p));
    dag_.start(all, scores_->pool());
}

std::span<const Fixed> Climber::gains(int place) {
    const int variable = order_[place];
    const auto& parents = parents_[variable];
    if (parents.empty()) {
        families_[place] = nullptr;
        return scores_->first_changes()[variable];
    }
    families_[place] = scores_->family(variable, parents);
    return families_[place]->changes;
}

void Climber::wish(std::size_t count) {
    std::vector<Wishes::Wish> wishes;
    for (const int place : dag_.likely_children(count)) {
        const auto parent = dag_.likely_parent(place);
        if (!parent) continue;
        const int child = order_[place];
        auto parents = parents_[child].with(order_[parent->from]);
        if (scores_->knows(child, parents)) continue;
        const auto reached = dag_.reached(place);
        wishes.push_back({parent->delta, place, {reached.begin(), reached.end()}, std::move(parents)});
    }
    std::ranges::sort(wishes, {}, &Wishes::Wish::gain);
    wishes_.set(std::move(wishes));
    scores_->pool().announce();
}

bool Climber::work_ahead() {
    const auto wish = wishes_.take();
    if (!wish) return false;
    const int child = order_[wish->place];
    const auto family = scores_->prepare(child, wish->parents);
    if (!family || static_cast<int>(wish->parents.size()) >= dag_.most_parents(wish->place)) return true;
    // If another parent gains at least as much, that step follows at once. Reachability may have changed since the
    // family was proposed; then this computation is in vain.
    double gain = wish->gain;
    int next = -1;
    for (int place = 0; place < dag_.variables(); ++place) {
        const int u = order_[place];
        const Fixed change = family->changes[u];
        if (wish->reached[place / 64] >> (place % 64) & 1 || !is_candidate(change)) continue;
        if (!dag_.is_allowed(place, wish->place) || wish->parents.contains(u)) continue;
        if (const double delta = change.to_double(); delta >= gain) {
            gain = delta;
            next = u;
        }
    }
    if (next >= 0) scores_->prepare(child, wish->parents.with(next));
    return true;
}

bool Climber::advance(double seconds, std::size_t ahead) {
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    std::size_t steps = 0;
    bool made = false;
    while (!converged_) {
        const BestMoves best = dag_.best_moves();
        if (best.first.kind == Move::none || (best.delta <= 0 && bad_ + 1 > options_.noinc)) {
            converged_ = true;
            break;
        }
        if (static_cast<std::int64_t>(steps_.size()) >= options_.most_steps) break;
        if ((seconds <= 0 || made) && Clock::now() >= end) return false;
        made = true;
        if (ahead && steps++ % STEPS_BETWEEN_WISHES == 0) wish(ahead);
        make(best);
    }
    // Nothing more will be needed; other threads turn to the families of other climbers.
    wishes_.set({});
    return true;
}

void Climber::make(const BestMoves& best) {
    const auto [kind, u, v] = best.first;
    follow({best.first, best.second, dag_.change(best.first), best.delta, best.next_delta, best.arbitrary});
    dag_.set_gains(v, gains(v));
    if (kind == Move::reverse) dag_.set_gains(u, gains(u));
    // For both ends, because the arc between them decides what may be added to either.
    dag_.set_candidates(v);
    dag_.set_candidates(u);
}

void Climber::follow(const Step& step) {
    const auto [kind, u, v] = step.move;
    steps_.push_back(step);
    dag_.make(step.move);
    parents_[order_[v]].toggle(order_[u]);
    if (kind == Move::reverse) parents_[order_[u]].toggle(order_[v]);

    bad_ += step.delta <= 0;
    since_best_ += step.change;
    if (since_best_.units > 0) {
        best_ = steps_.size();
        bad_ = 0;
        since_best_ = {};
    }
}

void Climber::replay(std::span<const Step> steps) {
    for (const Step& step : steps) follow(step);
    set_all_gains();
}

bool climb_on(std::span<Climber* const> climbers, double seconds) {
    if (climbers.empty()) return true;
    FamilyScores& scores = climbers[0]->scores();
    Pool& pool = scores.pool();
    const auto threads = static_cast<std::size_t>(pool.size());
    // Enough families for each thread that does not climb. More would often be computed in vain.
    const bool wishing = threads > climbers.size() && scores.cost_of_family() >= Pool::worth_a_thread();
    const std::size_t ahead = wishing ? threads : 0;
    std::atomic<bool> all_ended{true};
    const auto climb = [&](std::size_t place) {
        if (!climbers[place]->advance(seconds, ahead)) all_ended = false;
    };
    if (wishing) {
        // The threads that do not climb compute families in advance, until no climber is left.
        std::atomic<std::size_t> climbing{climbers.size()}, turn{0};
        pool.run(threads, [&](std::size_t place) {
            if (place >= climbers.size()) {
                pool.help_until([&] { return climbing == 0; },
                                [&] {
                                    for (std::size_t other = 0; other < climbers.size(); ++other) {
                                        if (climbers[turn++ % climbers.size()]->work_ahead()) return true;
                                    }
                                    return false;
                                });
                return;
            }
            struct Ending {
                std::atomic<std::size_t>& climbing;
                Pool& pool;
                ~Ending() {
                    --climbing;
                    pool.announce();
                }
            } ending{climbing, pool};
            climb(place);
        });
    } else if (scores.cost_of_family() * scores.variables() >= 2 * Pool::worth_a_thread()) {
        // A search computes about one family per variable, and two searches may compute the same one concurrently.
        pool.run(climbers.size(), climb);
    } else {
        for (std::size_t place = 0; place < climbers.size() && all_ended; ++place) climb(place);
    }
    return all_ended;
}

}  // namespace stablebn
