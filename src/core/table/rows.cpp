#include "table/rows.hpp"

#include <algorithm>

#include "counting/row_source.hpp"

namespace stablebn {

double states(const Rows& rows, std::span<const int> variables) {
    double product = 1.0;
    for (const int v : variables) product *= rows.levels[static_cast<std::size_t>(v)];
    return product;
}

double states_of_values(const Rows& rows, std::span<const int> variables) {
    double product = 1.0;
    for (const int v : variables) product *= rows.values(v);
    return product;
}

bool have_no_holes(const Rows& rows, std::span<const int> variables) {
    return std::ranges::none_of(variables, [&](int v) { return rows.has_holes(v); });
}

std::vector<std::int32_t> complete_rows_of(const Rows& rows, std::span<const int> variables) {
    std::vector<std::uint8_t> hole(rows.count, 0);
    for (const int v : variables) {
        if (!rows.has_holes(v)) continue;
        with_codes(rows.columns[v], [&](const auto* codes) {
            const auto own = static_cast<std::int32_t>(rows.values(v));
            for (std::size_t i = 0; i < rows.count; ++i) hole[i] |= static_cast<std::int32_t>(codes[i]) == own;
        });
    }
    std::vector<std::int32_t> complete(rows.count);
    std::size_t found = 0;
    for (std::size_t i = 0; i < rows.count; ++i) {
        // Always written, and overwritten if the row is dropped.
        complete[found] = static_cast<std::int32_t>(i);
        found += !hole[i];
    }
    complete.resize(found);
    return complete;
}

std::vector<std::uint16_t> configurations(const Rows& rows, std::span<const int> variables) {
    std::vector<std::uint16_t> numbers(rows.count);
    write_configurations(rows, variables, 0, numbers);
    return numbers;
}

void write_configurations(const Rows& rows, std::span<const int> variables, std::size_t begin,
                          std::span<std::uint16_t> numbers) {
    if (variables.empty()) std::ranges::fill(numbers, 0);
    bool first = true;
    for (const int v : variables) {
        const auto size = static_cast<std::uint16_t>(rows.levels[v]);
        with_codes(rows.columns[v], [&](const auto* all) {
            const auto* codes = all + begin;
            std::uint16_t* out = numbers.data();
            if (first) {
                for (std::size_t i = 0; i < numbers.size(); ++i) out[i] = static_cast<std::uint16_t>(codes[i]);
            } else {
                for (std::size_t i = 0; i < numbers.size(); ++i) {
                    out[i] = static_cast<std::uint16_t>(out[i] * size + static_cast<std::uint16_t>(codes[i]));
                }
            }
        });
        first = false;
    }
}

Grouped rows_by_group(std::span<const std::int32_t> group, std::int64_t groups) {
    Grouped sorted;
    sorted.starts.assign(static_cast<std::size_t>(groups) + 1, 0);
    for (const auto g : group) ++sorted.starts[static_cast<std::size_t>(g) + 1];
    for (std::size_t g = 0; g < static_cast<std::size_t>(groups); ++g) sorted.starts[g + 1] += sorted.starts[g];
    std::vector<std::int64_t> following(sorted.starts.begin(), sorted.starts.end() - 1);
    sorted.rows.resize(group.size());
    for (std::size_t i = 0; i < group.size(); ++i) {
        sorted.rows[static_cast<std::size_t>(following[static_cast<std::size_t>(group[i])]++)] = static_cast<std::int32_t>(i);
    }
    return sorted;
}

Partition split(const Partition& known, std::span<const std::int32_t> rows, Column column, int levels) {
    const std::size_t count = known.group.size();
    Partition finer;
    finer.group.resize(count);
    return with_codes(column, [&](const auto* codes) {
        const auto code_of = [&](std::size_t i) {
            return static_cast<std::int32_t>(codes[rows.empty() ? i : static_cast<std::size_t>(rows[i])]);
        };
        if (known.groups * levels <= static_cast<std::int64_t>(count)) {
            for (std::size_t i = 0; i < count; ++i) finer.group[i] = known.group[i] * levels + code_of(i);
            finer.groups = known.groups * levels;
            return std::move(finer);
        }
        const Grouped sorted = rows_by_group(known.group, known.groups);
        std::vector<std::int32_t> number(static_cast<std::size_t>(levels), -1);
        std::int32_t found = 0;
        for (std::size_t g = 0; g < static_cast<std::size_t>(known.groups); ++g) {
            const auto begin = static_cast<std::size_t>(sorted.starts[g]);
            const auto end = static_cast<std::size_t>(sorted.starts[g + 1]);
            for (std::size_t at = begin; at < end; ++at) {
                const auto i = static_cast<std::size_t>(sorted.rows[at]);
                auto& own = number[static_cast<std::size_t>(code_of(i))];
                if (own < 0) own = found++;
                finer.group[i] = own;
            }
            for (std::size_t at = begin; at < end; ++at) {
                number[static_cast<std::size_t>(code_of(static_cast<std::size_t>(sorted.rows[at])))] = -1;
            }
        }
        finer.groups = found;
        return std::move(finer);
    });
}

Partition partition(const Rows& rows, std::span<const int> variables) {
    Partition found;
    found.group.assign(rows.count, 0);
    for (const int v : variables) {
        found = split(found, {}, rows.columns[static_cast<std::size_t>(v)], rows.levels[static_cast<std::size_t>(v)]);
    }
    return found;
}

std::vector<std::uint64_t> keys_of_groups(const Rows& rows, std::span<const int> variables, const Partition& groups) {
    std::vector<int> levels;
    for (const int v : variables) levels.push_back(rows.levels[v]);
    const ConfigurationKeys keys(levels);
    std::vector<std::int64_t> row_of(static_cast<std::size_t>(groups.groups), -1);
    for (std::size_t i = 0; i < rows.count; ++i) row_of[groups.group[i]] = static_cast<std::int64_t>(i);
    std::vector<std::uint64_t> found, key(keys.words());
    for (const std::int64_t row : row_of) {
        if (row < 0) continue;
        keys.write(
            [&](std::size_t at) {
                return with_codes(rows.columns[variables[at]],
                                  [&](const auto* codes) { return static_cast<std::uint64_t>(codes[row]); });
            },
            key.data());
        found.insert(found.end(), key.begin(), key.end());
    }
    return found;
}

}  // namespace stablebn
