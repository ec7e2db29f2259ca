#include "domain/names.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"

namespace roost {
namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_alnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

Status check_name(std::string_view name, std::string_view what, std::size_t least, std::size_t most,
                  std::string_view extra, bool letter_first) {
  const auto allowed = [&](char c) {
    return static_cast<unsigned char>(c) < 0x80 &&
           (is_alnum(c) || extra.find(c) != std::string_view::npos);
  };
  const bool good = name.size() >= least && name.size() <= most &&
                    std::all_of(name.begin(), name.end(), allowed) &&
                    (letter_first ? is_letter(name.front()) : is_alnum(name.front()));
  if (good) return {};
  const bool vowel = !what.empty() && std::string_view("aeiou").find(what.front()) != std::string_view::npos;
  std::string marks;
  for (const char c : extra) marks += fmt::format("{}'{}'", marks.empty() ? "" : " ", c);
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("\"{}\" is not {} {} name: use {} to {} letters, digits or {}, starting with "
                          "a {}",
                          printable(name), vowel ? "an" : "a", what, least, most, marks,
                          letter_first ? "letter" : "letter or digit"));
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  });
}

}  // namespace

Status check_workspace_name(std::string_view name) {
  return check_name(name, "workspace", 2, 64, "-_", false);
}
Status check_experiment_name(std::string_view name) {
  return check_name(name, "experiment", 1, 256, "-_.", false);
}
Status check_compute_name(std::string_view name) {
  return check_name(name, "compute", 2, 32, "-", true);
}

Status check_registry_name(std::string_view name, std::string_view what) {
  return check_name(name, what, 1, 255, "-_.", false);
}
Status check_dataset_name(std::string_view name) {
  return check_name(name, "dataset", 1, 255, "-_. ", false);
}

Status check_secret_name(std::string_view name) {
  return check_name(name, "secret", 1, 127, "-_", false);
}

Status check_text(std::string_view text, std::string_view what, std::size_t limit) {
  if (text.size() > limit) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{} \"{}\" is longer than {} bytes", what, printable(text), limit));
  }
  if (!is_utf8(text) || has_control(text)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{} \"{}\" must be UTF-8 text without control characters", what,
                            printable(text)));
  }
  return {};
}

Status check_artifact_path(std::string_view path) {
  if (!is_safe_relative_path(path) || !is_utf8(path) || has_control(path)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("\"{}\" is not a file path below a run: write it relative, without "
                            "\"..\" and control characters, for example outputs/model.pt",
                            printable(path)));
  }
  return {};
}

Status check_variable_name(std::string_view name) {
  const auto allowed = [](char c) {
    return static_cast<unsigned char>(c) < 0x80 && (is_alnum(c) || c == '_');
  };
  if (!name.empty() && name.size() <= 256 && std::all_of(name.begin(), name.end(), allowed) &&
      (is_letter(name.front()) || name.front() == '_')) {
    return {};
  }
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("\"{}\" is not a name for an environment variable: use letters, digits and "
                          "'_', not starting with a digit",
                          printable(name)));
}

}  // namespace roost
