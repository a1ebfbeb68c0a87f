#include "exact/candidates.hpp"

#include <algorithm>
#include <chrono>
#include <compare>
#include <iterator>
#include <utility>

namespace stablebn {

namespace {

using Clock = std::chrono::steady_clock;

// Jobs that one thread does in sequence, and jobs per thread between two checks of the time.
constexpr std::size_t JOBS_AT_ONCE = 64;
constexpr std::size_t PARTS_AT_ONCE = 4;

// Nanoseconds: for less work nothing is computed in advance.
constexpr double LEAST_WORTH_IT = 1e8;
// A bound takes more than this.
constexpr double LEAST_COST_OF_BOUND = 1e3;

}  // namespace

CandidateSearch::CandidateSearch(std::shared_ptr<FamilyScores> scores, Matrix<std::uint8_t> allowed,
                                 std::vector<VariableSet> required, std::vector<int> most_parents, std::int64_t most_scored,
                                 std::int64_t most_found, Wide slack)
    : scores_(std::move(scores)),
      allowed_(std::move(allowed)),
      required_(std::move(required)),
      most_parents_(std::move(most_parents)),
      most_scored_(most_scored),
      most_found_(most_found),
      slack_(slack),
      levels_(scores_->variables()),
      growth_(scores_->variables()),
      found_(scores_->variables()) {
    for (int v = 0; v < scores_->variables(); ++v) {
        most_parents_[v] = std::min({most_parents_[v], scores_->most_parents(), scores_->variables() - 1});
        most_parents_[v] -= static_cast<int>(required_[v].size());
        const Wide gain = gain_of_required(v);
        found_[v].push_back({required_[v], gain});
        if (most_parents_[v] <= 0) continue;
        levels_[v].gain = {gain};
        levels_[v].best = {gain};
    }
}

Wide CandidateSearch::gain_of_required(int child) {
    Wide gain = 0;
    VariableSet parents;
    for (const int u : required_[child]) {
        gain += scores_->additions(child, parents, std::span(&u, 1))[u].units;
        parents = parents.with(u);
    }
    return gain;
}

std::span<const std::uint16_t> CandidateSearch::members(int child, std::size_t at) const {
    return std::span(levels_[child].members).subspan(at * level_, level_);
}

VariableSet CandidateSearch::set(int child, std::size_t at, std::size_t size) const {
    const auto own = members(child, at).first(size);
    std::vector<int> all(own.begin(), own.end());
    all.insert(all.end(), required_[child].begin(), required_[child].end());
    return VariableSet(std::move(all));
}

CandidateSearch::Places CandidateSearch::beginning_with(int child, std::span<const std::uint16_t> first) const {
    const auto first_from = [&](std::size_t begin, const auto& is_passed) {
        for (std::size_t end = levels_[child].size(); begin < end;) {
            const std::size_t middle = begin + (end - begin) / 2;
            const auto own = members(child, middle).first(first.size());
            const auto order = std::lexicographical_compare_three_way(own.begin(), own.end(), first.begin(), first.end());
            (is_passed(order) ? begin : end) = is_passed(order) ? middle + 1 : middle;
        }
        return begin;
    };
    const std::size_t begin = first_from(0, [](auto order) { return order < 0; });
    return {begin, first_from(begin, [](auto order) { return order <= 0; })};
}

bool CandidateSearch::go_on(double seconds) {
    const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
    Pool& pool = scores_->pool();
    while (!ended_) {
        if (!begun_) begin_level();
        while (!ended_ && next_job_ < jobs_.size()) {
            const std::span<const Job> left = std::span(jobs_).subspan(next_job_);
            const std::span<const Job> next = left.first(std::min(left.size(), JOBS_AT_ONCE * PARTS_AT_ONCE * pool.size()));
            pool.run((next.size() + JOBS_AT_ONCE - 1) / JOBS_AT_ONCE, [&](std::size_t part) {
                const auto own = next.subspan(part * JOBS_AT_ONCE);
                score(own.first(std::min(own.size(), JOBS_AT_ONCE)));
            });
            next_job_ += next.size();
            if (Clock::now() > deadline && next_job_ < jobs_.size()) return false;
        }
        if (!ended_) end_level();
        if (Clock::now() > deadline) break;
    }
    return ended_;
}

void CandidateSearch::begin_level() {
    const int n = scores_->variables();
    // Bounds and first changes are computed once, before threads need them.
    scores_->first_changes();
    if (n > 0) scores_->most_with_more(0, {});
    std::atomic<std::int64_t> wanted = 0;
    scores_->pool().run(n, [&](std::size_t child) {
        grow(static_cast<int>(child), wanted);
        growth_[child].gain.assign(growth_[child].from.size(), NO_GAIN);
    });
    const bool too_many_to_score = scored_ + wanted > most_scored_;
    if (wanted == 0 || too_many_to_score || found() > most_found_) {
        ended_ = true;
        limited_ = wanted > 0;
        found_too_many_ = limited_ && !too_many_to_score;
        return;
    }
    wanted_ = wanted;
    perhaps_know_all_sets(wanted);
    make_jobs();
    next_job_ = 0;
    begun_ = true;
}

void CandidateSearch::perhaps_know_all_sets(std::int64_t wanted) {
    // Another level that is as large or larger mostly follows.
    constexpr double levels_to_come = 3;
    const double one_by_one = static_cast<double>(wanted) * scores_->cost_of_set() * levels_to_come;
    if (asked_for_all_sets_ || one_by_one < LEAST_WORTH_IT) return;
    const int most_parents = std::ranges::max(most_parents_);
    if (one_by_one < scores_->cost_of_all_sets(most_parents)) return;
    asked_for_all_sets_ = true;
    scores_->know_all_sets(most_parents);
}

/// Families of the same variables in sequence, and those with common prefixes near each other, because they share
/// counts.
void CandidateSearch::make_jobs() {
    const auto n = static_cast<std::size_t>(scores_->variables());
    std::vector<std::vector<Job>> of_child(n), beginning_with(n);
    scores_->pool().run(n, [&](std::size_t child) {
        const int v = static_cast<int>(child);
        const auto& from = growth_[child].from;
        for (std::uint32_t begin = 0, end = 0; begin < from.size(); begin = end) {
            while (end < from.size() && from[end] == from[begin]) ++end;
            of_child[child].push_back({set(v, from[begin]).with(v), v, begin, end});
        }
    });
    for (auto& own : of_child) {
        for (Job& job : own) beginning_with[static_cast<std::size_t>(job.family[0])].push_back(std::move(job));
        own = {};
    }
    scores_->pool().run(n, [&](std::size_t first) {
        std::ranges::stable_sort(beginning_with[first], [](const Job& a, const Job& b) {
            return std::ranges::lexicographical_compare(a.family, b.family);
        });
    });
    jobs_.clear();
    for (auto& own : beginning_with) {
        std::ranges::move(own, std::back_inserter(jobs_));
        own = {};
    }
}

/// A set of the next size is scored if all its subsets of this size may have candidates as supersets, and no member can
/// only lower the score of every set with the other members.
void CandidateSearch::grow(int child, std::atomic<std::int64_t>& wanted) {
    const Level& level = levels_[child];
    Growth& growth = growth_[child];
    growth = {};
    if (level_ >= most_parents_[child]) return;
    std::vector<std::uint16_t> subset;
    std::vector<VariableSet> sets;
    for (std::size_t at = 0; at < level.size(); ++at) sets.push_back(set(child, at));
    const auto is_allowed = [&](int u) {
        return u != child && (allowed_.rows() == 0 || allowed_(child, u)) && !required_[child].contains(u);
    };
    const auto can_add = [&](std::size_t at, int u) {
        const auto most = scores_->most_added(child, sets[at], level.gain[at], u);
        return !most || *most > -slack_;
    };
    // By omitted member: the range of sets that have the other members and one more, from where the next one is
    // searched.
    std::vector<Places> others(level_);
    const auto consider = [&](std::size_t at, int u) {
        if (!can_add(at, u)) return;
        Wide best = level.best[at];
        const auto own = members(child, at);
        for (int left_out = 0; left_out < level_; ++left_out) {
            auto& [other, end] = others[left_out];
            while (other < end && members(child, other).back() < u) ++other;
            if (other == end || members(child, other).back() != u || !can_add(other, own[left_out])) return;
            best = std::max(best, level.best[other]);
        }
        growth.from.push_back(static_cast<std::uint32_t>(at));
        growth.more.push_back(static_cast<std::uint16_t>(u));
        growth.best.push_back(best);
    };
    if (level_ == 0) {
        for (int u = 0; u < scores_->variables(); ++u) {
            if (level.size() && is_allowed(u)) consider(0, u);
        }
        wanted += static_cast<std::int64_t>(growth.from.size());
        return;
    }
    for (std::size_t at = 0; at < level.size(); ++at) {
        Watch::look_now_and_then();
        const std::size_t before = growth.from.size();
        const auto own = members(child, at);
        for (int left_out = 0; left_out < level_; ++left_out) {
            subset.clear();
            for (int k = 0; k < level_; ++k) {
                if (k != left_out) subset.push_back(own[k]);
            }
            others[left_out] = beginning_with(child, subset);
        }
        // The last member of each later set that agrees in all other members.
        for (std::size_t other = at + 1; other < level.size(); ++other) {
            const auto later = members(child, other);
            if (!std::equal(own.begin(), own.end() - 1, later.begin())) break;
            consider(at, later.back());
        }
        if (scored_ + (wanted += static_cast<std::int64_t>(growth.from.size() - before)) > most_scored_) return;
    }
}

void CandidateSearch::score(std::span<const Job> jobs) {
    const auto gains = scores_->gains();
    std::vector<Growing> growing;
    for (std::size_t begin = 0; begin < jobs.size(); begin += growing.size()) {
        Watch::look_now_and_then();
        growing.clear();
        const VariableSet& family = jobs[begin].family;
        for (std::size_t at = begin; at < jobs.size() && jobs[at].family == family; ++at) {
            const auto& [_, child, first, end] = jobs[at];
            Growth& growth = growth_[child];
            const std::span more(growth.more.data() + first, end - first);
            const std::span gain(growth.gain.data() + first, end - first);
            growing.push_back({child, levels_[child].gain[growth.from[first]], more, gain});
        }
        gains->work_out(family, growing);
    }
}

/// All children or none: if interrupted, the last level is unchanged.
void CandidateSearch::end_level() {
    std::vector<Sifted> sifted(growth_.size());
    scores_->pool().run(growth_.size(), [&](std::size_t child) { sifted[child] = sift(static_cast<int>(child)); });
    for (std::size_t child = 0; child < sifted.size(); ++child) {
        levels_[child] = std::move(sifted[child].level);
        std::ranges::move(sifted[child].found, std::back_inserter(found_[child]));
        growth_[child] = {};
    }
    scored_ += wanted_;
    ++level_;
    begun_ = false;
}

CandidateSearch::Sifted CandidateSearch::sift(int child) const {
    const Growth& growth = growth_[child];
    Sifted sifted;
    Level& next = sifted.level;
    for (std::size_t at = 0; at < growth.from.size(); ++at) {
        Watch::look_now_and_then();
        // A family that cannot be scored has no superset that can.
        if (growth.gain[at] == NO_GAIN) continue;
        const VariableSet parents = set(child, growth.from[at]).with(growth.more[at]);
        const bool is_best = growth.gain[at] > growth.best[at] - slack_;
        if (is_best) sifted.found.push_back({parents, growth.gain[at]});
        if (level_ + 1 >= most_parents_[child]) continue;
        const Wide best = std::max(growth.gain[at], growth.best[at]);
        const auto most = scores_->most_with_more(child, parents, best - slack_);
        if (most && *most <= best - slack_) continue;
        for (const int u : parents) {
            if (!required_[child].contains(u)) next.members.push_back(static_cast<std::uint16_t>(u));
        }
        next.gain.push_back(growth.gain[at]);
        next.best.push_back(best);
    }
    return sifted;
}

std::int64_t CandidateSearch::found() const {
    std::int64_t count = 0;
    for (const auto& own : found_) count += static_cast<std::int64_t>(own.size());
    return count;
}

std::optional<Wide> CandidateSearch::most_beyond(int child, double nanoseconds) {
    const std::size_t sets = levels_[child].size();
    // How many first members each set shares with the set before it, and by number of first members how many begin anew.
    std::vector<std::uint16_t> shared(sets);
    std::vector<std::size_t> distinct(static_cast<std::size_t>(level_) + 1);
    for (std::size_t at = 0; at < sets; ++at) {
        const auto own = members(child, at);
        if (at) {
            const auto before = members(child, at - 1);
            shared[at] = static_cast<std::uint16_t>(std::ranges::mismatch(own, before).in1 - own.begin());
        }
        for (std::size_t size = at ? shared[at] + 1u : 0; size < distinct.size(); ++size) ++distinct[size];
    }
    const double most_sets = nanoseconds / std::max(scores_->cost_of_set(), LEAST_COST_OF_BOUND);
    std::size_t size = static_cast<std::size_t>(level_);
    while (size > 0 && static_cast<double>(distinct[size]) > most_sets) --size;
    Wide most = 0;
    for (std::size_t at = 0; at < sets; ++at) {
        Watch::look_now_and_then();
        if (at && shared[at] >= size) continue;
        const auto own = scores_->most_with_more(child, set(child, at, size));
        if (!own) return std::nullopt;
        most = std::max(most, *own);
    }
    return most;
}

}  // namespace stablebn
