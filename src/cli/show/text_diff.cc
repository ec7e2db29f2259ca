#include "cli/show/text_diff.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

constexpr int kMostEdits = 4000;  // the search keeps edits^2 numbers
constexpr int kContext = 3;

struct Edit {
  char kind;  // ' ', '-' or '+'
  std::string_view line;
};

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.push_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

// Myers' greedy search for the shortest script: `reach` holds, for each diagonal, how far in `a`
// the best path with so many edits gets; the states of each round are kept to walk back.
std::vector<Edit> edits_between(const std::vector<std::string_view>& a,
                                const std::vector<std::string_view>& b) {
  const int n = static_cast<int>(a.size());
  const int m = static_cast<int>(b.size());
  const int most = std::min(n + m, kMostEdits);
  const auto at = [most](std::vector<int>& v, int k) -> int& {
    return v[static_cast<std::size_t>(k + most + 1)];
  };
  const auto equal = [&](int x, int y) {
    return a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(y)];
  };
  std::vector<int> reach(static_cast<std::size_t>(2 * most + 3), 0);
  std::vector<std::vector<int>> rounds;  // reach[-d..d] before round d
  int found = -1;
  for (int d = 0; d <= most && found < 0; ++d) {
    rounds.emplace_back(reach.begin() + (most + 1 - d), reach.begin() + (most + 2 + d));
    for (int k = -d; k <= d; k += 2) {
      const bool down = k == -d || (k != d && at(reach, k - 1) < at(reach, k + 1));
      int x = down ? at(reach, k + 1) : at(reach, k - 1) + 1;
      while (x < n && x - k < m && equal(x, x - k)) ++x;
      at(reach, k) = x;
      if (x >= n && x - k >= m) {
        found = d;
        break;
      }
    }
  }
  std::vector<Edit> edits;
  if (found < 0) {
    for (const auto line : a) edits.push_back({'-', line});
    for (const auto line : b) edits.push_back({'+', line});
    return edits;
  }
  int x = n;
  int y = m;
  for (int d = found; d >= 0; --d) {
    // rounds[d] was taken before round d, so it holds the ends of the paths with d - 1 edits.
    const auto before = [&](int k) {
      return k < -d || k > d ? -1
                             : rounds[static_cast<std::size_t>(d)][static_cast<std::size_t>(k + d)];
    };
    const int k = x - y;
    const bool down = k == -d || (k != d && before(k - 1) < before(k + 1));
    const int previous_k = down ? k + 1 : k - 1;
    const int previous_x = d == 0 ? 0 : before(previous_k);
    const int previous_y = d == 0 ? 0 : previous_x - previous_k;
    while (x > previous_x && y > previous_y) {
      --x;
      --y;
      edits.push_back({' ', a[static_cast<std::size_t>(x)]});
    }
    if (d == 0) break;
    if (down) {
      edits.push_back({'+', b[static_cast<std::size_t>(previous_y)]});
    } else {
      edits.push_back({'-', a[static_cast<std::size_t>(previous_x)]});
    }
    x = previous_x;
    y = previous_y;
  }
  std::reverse(edits.begin(), edits.end());
  return edits;
}

std::string range_text(int start, int count) {
  if (count == 1) return fmt::format("{}", start);
  return fmt::format("{},{}", count == 0 ? start - 1 : start, count);
}

}  // namespace

std::string unified_diff(std::string_view before, std::string_view after,
                         const std::string& name_before, const std::string& name_after) {
  if (before == after) return "";
  const auto a = lines_of(before);
  const auto b = lines_of(after);
  const std::vector<Edit> edits = edits_between(a, b);
  std::string out = fmt::format("--- {}\n+++ {}\n", name_before, name_after);
  const int size = static_cast<int>(edits.size());
  const auto edit = [&](int i) -> const Edit& { return edits[static_cast<std::size_t>(i)]; };
  int line_a = 1;
  int line_b = 1;
  for (int i = 0; i < size;) {
    if (edit(i).kind == ' ') {
      ++i, ++line_a, ++line_b;
      continue;
    }
    // A hunk: from some context before to the first stretch of equal lines long enough to part it.
    const int start = std::max(0, i - kContext);
    int end = i;
    for (int j = i; j < size && j - end <= 2 * kContext; ++j) {
      if (edit(j).kind != ' ') end = j + 1;
    }
    const int stop = std::min(size, end + kContext);
    const int first_a = line_a - (i - start);
    const int first_b = line_b - (i - start);
    int count_a = 0;
    int count_b = 0;
    std::string body;
    for (int j = start; j < stop; ++j) {
      if (edit(j).kind != '+') ++count_a;
      if (edit(j).kind != '-') ++count_b;
      body += edit(j).kind;
      body += edit(j).line;
      if (edit(j).line.back() != '\n') body += "\n\\ No newline at end of file\n";
    }
    out += fmt::format("@@ -{} +{} @@\n{}", range_text(first_a, count_a),
                       range_text(first_b, count_b), body);
    line_a = first_a + count_a;
    line_b = first_b + count_b;
    i = stop;
  }
  return out;
}

bool is_binary(std::string_view bytes) {
  return bytes.find('\0') != std::string_view::npos || !is_utf8(bytes);
}

}  // namespace roost
