#include "domain/launcher_log.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <csignal>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "domain/exit_text.h"

namespace roost {
namespace {

// In the last lines of every launcher that failed: its log, or the frames of its own traceback.
constexpr std::array kOfLaunchers = {"torch.distributed.elastic", "torch/distributed/elastic/", "torch/distributed/launch.py",
                                     "accelerate/commands/launch.py"};
// These the launcher itself raises, about its workers.
constexpr std::array kOwnExceptions = {"ChildFailedError", "SignalException", "CalledProcessError"};
constexpr std::string_view kRound = "failed (exitcode: ";  // logged whenever workers failed, restarts or not

bool has_any(std::string_view text, const auto& words) {
  return std::any_of(words.begin(), words.end(), [&](const char* word) { return text.find(word) != std::string_view::npos; });
}

std::optional<int> number_at(std::string_view text) {
  int number = 0;
  return std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc() ? std::optional(number)
                                                                                           : std::nullopt;
}

// Who wrote a line: "[rank3]: " stands before what PyTorch says of an uncaught exception, "[default1]:" before all that a
// worker prints under --tee, by its local rank.
struct Line {
  std::optional<int> rank;
  std::optional<int> local_rank;
  std::string text;
};

// Takes "[<name><number>]:" off the text.
std::optional<int> take_prefix(std::string_view& text, bool is_rank) {
  const std::size_t end = text.find("]:");
  if (!text.starts_with('[') || end == std::string_view::npos || end > 40) return std::nullopt;
  const std::string_view inside = text.substr(1, end - 1);
  const std::size_t digits = inside.find_first_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos || (inside.substr(0, digits) == "rank") != is_rank) return std::nullopt;
  if (inside.find_first_not_of("0123456789", digits) != std::string_view::npos) return std::nullopt;
  const bool named = std::all_of(inside.begin(), inside.begin() + static_cast<long>(digits),
                                 [](unsigned char c) { return std::isalpha(c) != 0 || c == '_'; });
  if (!named) return std::nullopt;
  text.remove_prefix(end + 2);
  if (is_rank && text.starts_with(' ')) text.remove_prefix(1);
  return number_at(inside.substr(digits));
}

std::vector<Line> lines_of(std::string_view output) {
  std::vector<Line> lines;
  for (const auto& whole : split(to_utf8(output), '\n')) {
    std::string_view text = whole;
    if (text.ends_with('\r')) text.remove_suffix(1);
    Line line;
    line.local_rank = take_prefix(text, false);
    line.rank = take_prefix(text, true);
    line.text = std::string(text);
    lines.push_back(std::move(line));
  }
  return lines;
}

// A row of the table that a launcher ends with, its first failure first.
struct Row {
  WorkerFailure failure;
  std::optional<int> local_rank;
  std::vector<std::string> message;
};

void read_field(Row& row, std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string_view name = trim(line.substr(0, colon));
  const std::string_view value = trim(line.substr(colon + 1));
  if (name == "rank") {
    row.failure.rank = number_at(value);
    if (const auto local = value.find("(local_rank: "); local != std::string_view::npos) {
      row.local_rank = number_at(value.substr(local + 13));
    }
  } else if (name == "exitcode") {
    const int code = number_at(value).value_or(1);
    (code < 0 ? row.failure.signal : row.failure.exit_code) = std::abs(code);
  } else if (name == "traceback" || name == "msg") {
    row.message.emplace_back(value);
  }
}

std::vector<Row> table_of(const std::vector<Line>& lines, std::size_t start) {
  std::vector<Row> first;
  std::vector<Row> others;
  std::vector<Row>* section = nullptr;
  for (std::size_t i = start; i < lines.size(); ++i) {
    const std::string& line = lines[i].text;
    const bool is_rule = line.starts_with("---") || line.starts_with("===") || line.starts_with("***");
    if (line.starts_with("Root Cause")) {
      section = &first;
    } else if (line.starts_with("Failures:") || line.starts_with("Other Failures:")) {
      section = &others;
    } else if (section && line.starts_with('[') && line.ends_with("]:")) {
      section->emplace_back();
    } else if (section && is_rule) {
      section = nullptr;
    } else if (section && !section->empty() && !section->back().message.empty()) {
      section->back().message.push_back(line.starts_with("  ") ? line.substr(2) : line);
    } else if (section && !section->empty()) {
      read_field(section->back(), line);
    }
  }
  first.insert(first.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
  return first;
}

bool is_launchers_own(const Traceback& traceback) {
  return has_any(traceback.exception, kOwnExceptions) &&
         std::any_of(traceback.lines.begin(), traceback.lines.end(), [](const std::string& line) {
           return has_any(line, kOfLaunchers) || line.find("torch/distributed/run.py") != std::string::npos ||
                  line.find("torch/distributed/launcher/") != std::string::npos;
         });
}

// The last round's lines: with restarts each earlier failure stands in the log too.
std::size_t last_round(const std::vector<Line>& lines, bool has_table) {
  std::size_t start = 0;
  bool skip = has_table;
  for (std::size_t i = lines.size(); i-- > 0;) {
    if (lines[i].text.find(kRound) == std::string::npos) continue;
    if (!std::exchange(skip, false)) {
      start = i + 1;
      break;
    }
  }
  return start;
}

bool is_victim(const WorkerFailure& failure) {
  if (failure.traceback) return is_secondary(heading_of(failure.traceback->exception));
  return failure.signal == SIGTERM || failure.exit_code == 128 + SIGTERM;
}

// What the workers wrote, by who it was.
struct Words {
  std::map<int, std::vector<std::string>> by_rank;
  std::map<int, std::vector<std::string>> by_local_rank;
  std::vector<std::string> of_nobody;
};

Words words_of(const std::vector<Line>& lines, std::size_t start) {
  Words words;
  for (std::size_t i = start; i < lines.size(); ++i) {
    const Line& line = lines[i];
    if (line.rank) words.by_rank[*line.rank].push_back(line.text);
    if (line.local_rank && !line.rank) words.by_local_rank[*line.local_rank].push_back(line.text);
    if (!line.rank && !line.local_rank) words.of_nobody.push_back(line.text);
  }
  return words;
}

std::optional<Traceback> spoken(const std::map<int, std::vector<std::string>>& words, std::optional<int> by) {
  const auto found = by ? words.find(*by) : words.end();
  return found == words.end() ? std::nullopt : last_traceback(found->second);
}

// Tracebacks that bear no name are by workers of whom no other words are known; of those the last that is no
// victim's is why. Earlier ones may have been caught and only shown.
void add_unnamed(std::vector<WorkerFailure>& failures, std::vector<Traceback> unnamed, std::size_t silent) {
  if (unnamed.size() > silent) unnamed.erase(unnamed.begin(), unnamed.end() - static_cast<long>(silent));
  if (unnamed.empty()) return;
  const auto own = std::find_if(unnamed.rbegin(), unnamed.rend(),
                                [](const Traceback& traceback) { return !is_secondary(heading_of(traceback.exception)); });
  const Traceback& last = own == unnamed.rend() ? unnamed.back() : *own;
  std::vector<WorkerFailure*> who;
  for (auto& failure : failures) {
    if (!failure.traceback && failure.signal != SIGKILL && failure.signal != SIGTERM) who.push_back(&failure);
  }
  if (who.size() == 1) {
    who.front()->traceback = last;
  } else {
    failures.insert(failures.begin(), WorkerFailure{{}, {}, {}, last});
  }
}

}  // namespace

std::string WorkerFailure::text() const {
  const std::string who = rank ? fmt::format("its process of rank {}", *rank) : "one of its processes";
  return exit_code || signal ? fmt::format("{} {}", who, end_text(exit_code, signal)) : who + " failed";
}

std::optional<WorkerFailure> launcher_failure(std::string_view output) {
  if (!has_any(output, kOfLaunchers)) return std::nullopt;
  const std::vector<Line> lines = lines_of(output);
  std::size_t table = lines.size();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].text.find("ChildFailedError") != std::string::npos) table = i;
  }
  const bool has_table = table < lines.size();
  const Words words = words_of(lines, last_round(lines, has_table));
  auto unnamed = all_tracebacks(words.of_nobody);
  const auto its_own = std::remove_if(unnamed.begin(), unnamed.end(), is_launchers_own);
  const bool speaks_itself = its_own != unnamed.end();
  unnamed.erase(its_own, unnamed.end());
  if (!has_table && !speaks_itself && words.by_rank.empty()) return std::nullopt;

  std::vector<WorkerFailure> failures;
  std::size_t silent = 0;  // those of whom no word is known to be theirs
  for (auto& row : table_of(lines, table)) {
    WorkerFailure& failure = row.failure;
    failure.traceback = last_traceback(row.message);
    if (!failure.traceback) failure.traceback = spoken(words.by_rank, failure.rank);
    if (!failure.traceback) failure.traceback = spoken(words.by_local_rank, row.local_rank);
    if (!failure.traceback && failure.signal != SIGKILL) ++silent;
    failures.push_back(std::move(failure));
  }
  // The launcher may have been ended before it looked again.
  for (const auto& [rank, said] : words.by_rank) {
    const bool known = std::any_of(failures.begin(), failures.end(), [&](const auto& failure) { return failure.rank == rank; });
    WorkerFailure failure{rank, {}, {}, last_traceback(said)};
    if (!known && failure.traceback) failures.push_back(std::move(failure));
  }
  add_unnamed(failures, std::move(unnamed), failures.empty() ? SIZE_MAX : silent);

  for (auto& failure : failures) failure.secondary = is_victim(failure);
  for (const bool with_reason : {true, false}) {
    const auto found = std::find_if(failures.begin(), failures.end(), [&](const WorkerFailure& failure) {
      return !failure.secondary && (!with_reason || failure.traceback || failure.signal);
    });
    if (found != failures.end()) return *found;
  }
  if (failures.empty()) return std::nullopt;
  return failures.front();
}

}  // namespace roost
