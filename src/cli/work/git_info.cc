#include "cli/work/git_info.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/files.h"
#include "base/text.h"
#include "cli/work/run_program.h"

namespace roost {
namespace {

namespace fs = std::filesystem;

struct Repository {
  fs::path own;     // HEAD of this working tree
  fs::path common;  // refs and config; another folder in a linked working tree
};

std::string first_line(const fs::path& path) {
  const auto text = read_file(path);
  return text ? std::string(trim(split(*text, '\n').front())) : "";
}

std::optional<Repository> find_repository(const fs::path& folder) {
  std::error_code ignored;
  fs::path at = fs::weakly_canonical(folder, ignored);
  for (;; at = at.parent_path()) {
    const fs::path mark = at / ".git";
    const auto kind = fs::status(mark, ignored).type();
    fs::path own;
    if (kind == fs::file_type::directory) {
      own = mark;
    } else if (kind == fs::file_type::regular) {
      const std::string line = first_line(mark);
      if (line.starts_with("gitdir:")) own = at / trim(std::string_view(line).substr(7));
    }
    if (!own.empty()) {
      const std::string common = first_line(own / "commondir");
      return Repository{own, common.empty() ? own : own / common};
    }
    if (at == at.root_path() || at.empty()) return std::nullopt;
  }
}

bool is_commit(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isxdigit(c) != 0; });
}

std::string commit_of(const Repository& repository, const std::string& reference) {
  for (const fs::path& place : {repository.own / reference, repository.common / reference}) {
    if (const std::string line = first_line(place); is_commit(line)) return line;
  }
  const auto packed = read_file(repository.common / "packed-refs");
  if (!packed) return "";
  for (const std::string& line : split(*packed, '\n')) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string::npos || std::string_view(line).substr(blank + 1) != reference)
      continue;
    if (const std::string commit = line.substr(0, blank); is_commit(commit)) return commit;
  }
  return "";
}

// The url of "origin", or of the first remote.
std::string remote_of(const Repository& repository) {
  const auto config = read_file(repository.common / "config");
  if (!config) return "";
  std::string section;
  std::string first;
  for (const std::string& raw : split(*config, '\n')) {
    const std::string line(trim(raw));
    if (line.starts_with("[")) section = line;
    if (!section.starts_with("[remote ") || !line.starts_with("url")) continue;
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos || trim(line.substr(0, equals)) != "url") continue;
    const std::string url(trim(std::string_view(line).substr(equals + 1)));
    if (section == "[remote \"origin\"]") return url;
    if (first.empty()) first = url;
  }
  return first;
}

std::optional<bool> is_dirty(const fs::path& folder, int patience_ms) {
  ProgramLimits limits;
  limits.bytes = 1;  // one byte says it; a long list of changes need not be waited for
  limits.time = std::chrono::milliseconds(patience_ms);
  const auto output = run_program(
      {"git", "--no-optional-locks", "status", "--porcelain", "--", "."}, folder.string(), limits);
  if (!output) return std::nullopt;
  if (!output->text.empty()) return true;
  return output->exit_code == 0 ? std::optional<bool>(false) : std::nullopt;
}

}  // namespace

std::string without_credentials(const std::string& url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string::npos) return url;  // git@host:path, or a folder
  const std::size_t start = scheme + 3;
  const std::size_t end = std::min(url.find_first_of("/?#", start), url.size());
  const std::size_t at = url.rfind('@', end);
  std::string clean = url;
  if (at != std::string::npos && at >= start && at < end) {
    std::string user = url.substr(start, at - start);
    user = user.substr(0, user.find(':'));
    // Over ssh the name is part of the address; elsewhere it may itself be a token.
    const bool keeps_user = url.starts_with("ssh://") || url.starts_with("git+ssh://");
    clean =
        url.substr(0, start) + (keeps_user && !user.empty() ? user + "@" : "") + url.substr(at + 1);
  }
  return clean.substr(0, clean.find_first_of("?#"));
}

Json git_info(const fs::path& folder, int patience_ms) {
  const auto repository = find_repository(folder);
  if (!repository) return nullptr;
  Json info = Json::object();
  if (const std::string url = remote_of(*repository); !url.empty()) {
    info["repository_uri"] = without_credentials(url);
  }
  const std::string head = first_line(repository->own / "HEAD");
  std::string commit;
  if (head.starts_with("ref: ")) {
    const std::string reference(trim(std::string_view(head).substr(5)));
    if (reference.starts_with("refs/heads/")) info["branch"] = reference.substr(11);
    commit = commit_of(*repository, reference);
  } else if (is_commit(head)) {
    commit = head;
  }
  if (!commit.empty()) info["commit"] = commit;
  if (const auto dirty = is_dirty(folder, patience_ms)) info["dirty"] = *dirty;
  return info;
}

}  // namespace roost
