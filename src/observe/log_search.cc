#include "observe/log_search.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/text.h"

namespace roost {
namespace {

constexpr std::size_t kPiece = 4 << 20;
constexpr std::size_t kMostShown = 500;
// Every line that looks like an error has one of these words in it, so only those lines are looked at closely.
constexpr std::array<std::string_view, 8> kErrorWords = {"error", "exception", "traceback", "fatal",
                                                         "critical", "segmentation fault", "core dumped", "killed"};

void to_lower(std::string_view from, std::string& to) {
  to.resize(from.size());
  std::transform(from.begin(), from.end(), to.begin(),
                 [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
}

std::size_t find_from(std::string_view text, std::string_view wanted, std::size_t from) {
  if (from >= text.size()) return std::string_view::npos;
  const void* at = ::memmem(text.data() + from, text.size() - from, wanted.data(), wanted.size());
  return at == nullptr ? std::string_view::npos
                       : static_cast<std::size_t>(static_cast<const char*>(at) - text.data());
}

// Where one of several words comes next. Each word's next place is kept, so a rare word is not sought anew.
class NextWord {
 public:
  NextWord(std::string_view text, const std::vector<std::string>& words) : text_(text), words_(words) {
    for (const auto& word : words_) at_.push_back(find_from(text_, word, 0));
  }
  std::size_t from(std::size_t offset) {
    std::size_t first = std::string_view::npos;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (at_[i] < offset) at_[i] = find_from(text_, words_[i], offset);
      first = std::min(first, at_[i]);
    }
    return first;
  }

 private:
  std::string_view text_;
  const std::vector<std::string>& words_;
  std::vector<std::size_t> at_;
};

std::string_view without_colours(std::string_view line, std::string& held) {
  if (line.find('\x1b') == std::string_view::npos) return line;
  held.clear();
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1b' && i + 1 < line.size() && line[i + 1] == '[') {
      i += 2;
      while (i < line.size() && (line[i] < '@' || line[i] > '~')) ++i;
    } else {
      held += line[i];
    }
  }
  return held;
}

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

// "ValueError: ...", "torch.cuda.OutOfMemoryError", "KeyboardInterrupt" is none.
bool names_exception(std::string_view line) {
  std::size_t end = 0;
  while (end < line.size() && is_name(line[end])) ++end;
  const std::string_view name = line.substr(0, end);
  if (!name.ends_with("Error") && !name.ends_with("Exception")) return false;
  return end == line.size() || line[end] == ':';
}

// The word stands for itself: not as part of "ERRORS" or "0 ERROR_COUNT".
bool has_word(std::string_view line, std::string_view word) {
  for (std::size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
    const bool begins = at == 0 || !is_name(line[at - 1]);
    const std::size_t end = at + word.size();
    if (begins && (end == line.size() || !is_name(line[end]))) return true;
  }
  return false;
}

}  // namespace

bool looks_like_error(std::string_view raw) {
  std::string held;
  std::string_view line = without_colours(raw, held);
  while (!line.empty() && (line.back() == '\r' || line.back() == '\n')) line.remove_suffix(1);
  // A rank's mark, such as torchrun's "[rank1]: ", does not hide what follows.
  if (line.starts_with("[rank")) {
    if (const auto end = line.find("]: "); end != std::string_view::npos) line.remove_prefix(end + 3);
  }
  if (line.find("Traceback (most recent call last)") != std::string_view::npos || names_exception(line)) return true;
  for (const std::string_view level : {"ERROR", "FATAL", "CRITICAL"}) {
    if (has_word(line, level)) return true;
  }
  for (const std::string_view words : {"Segmentation fault", "core dumped", "CUDA error", "NCCL error", "Fatal Python error",
                                       "fatal error:", "error: "}) {
    if (const auto at = line.find(words); at == 0 || (at != std::string_view::npos && words != "error: ")) return true;
  }
  return line == "Killed" || line.find(": error: ") != std::string_view::npos;
}

Result<LogMatches> search_log(const LogStore& logs, const std::string& run, std::int64_t attempt,
                              const std::string& name, const LogSearch& search) {
  LogMatches found;
  if (const auto size = logs.size(run, attempt, name)) found.size = *size;
  std::vector<std::string> words;
  if (search.errors) {
    words.assign(kErrorWords.begin(), kErrorWords.end());
  } else {
    to_lower(search.text, words.emplace_back());
  }
  std::string lowered;
  std::uint64_t at = search.offset;
  while (at < found.size) {
    if (at - search.offset >= search.most_bytes) {
      found.next = at;
      return found;
    }
    ROOST_TRY(std::string piece, logs.read(run, attempt, name, at, kPiece));
    if (piece.empty()) break;
    // Whole lines only, unless this is the end or one line fills the piece.
    const bool last = at + piece.size() >= found.size;
    if (const auto end = piece.rfind('\n'); !last && end != std::string::npos) piece.resize(end + 1);
    to_lower(piece, lowered);
    NextWord next(lowered, words);
    for (std::size_t hit = next.from(0); hit != std::string::npos;) {
      const auto before = hit == 0 ? std::string::npos : piece.rfind('\n', hit - 1);
      const std::size_t begin = before == std::string::npos ? 0 : before + 1;
      const std::size_t end = std::min(piece.find('\n', hit), piece.size());
      const std::string_view line(piece.data() + begin, end - begin);
      if (!search.errors || looks_like_error(line)) {
        if (found.items.size() == search.limit) {
          found.next = at + begin;
          return found;
        }
        found.items.push_back({at + begin, to_utf8(line.substr(0, kMostShown))});
      }
      hit = next.from(end);
    }
    at += piece.size();
  }
  return found;
}

}  // namespace roost
