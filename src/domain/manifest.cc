#include "domain/manifest.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"

namespace roost {
namespace {

constexpr std::size_t kMaxTarget = 4095;  // what symlink(2) takes
constexpr char kHexDigits[] = "0123456789abcdef";
// What a backslash and a letter stand for.
constexpr std::string_view kEscapeNames = "\"\\bfnrt";
constexpr std::string_view kEscapeValues = "\"\\\b\f\n\r\t";

constexpr std::uint8_t kPlain = 0;
constexpr std::uint8_t kEscaped = 1;
constexpr std::uint8_t kHigh = 2;  // part of a character outside ASCII
struct ByteClasses {
  std::uint8_t of[256] = {};
  constexpr ByteClasses() {
    for (int c = 0; c < 256; ++c) {
      of[c] = c < 0x20 || c == '"' || c == '\\' ? kEscaped : c >= 0x80 ? kHigh : kPlain;
    }
  }
};
constexpr ByteClasses kClasses;

// Escapes what JSON demands; at most six bytes for one.
char* put_string(char* out, std::string_view text) {
  *out++ = '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (kClasses.of[byte] != kEscaped) {
      *out++ = c;
      continue;
    }
    *out++ = '\\';
    if (const std::size_t at = kEscapeValues.find(c); at != std::string_view::npos) {
      *out++ = kEscapeNames[at];
      continue;
    }
    for (const char u : {'u', '0', '0', kHexDigits[byte >> 4], kHexDigits[byte & 15]}) *out++ = u;
  }
  *out++ = '"';
  return out;
}

char* put(char* out, std::string_view text) { return std::copy(text.begin(), text.end(), out); }

// Reads one line. Every step gives false and sets `problem` at the first byte that is not
// canonical.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : rest_(line) {}

  bool entry(ManifestEntry& out) {
    std::string mode;
    if (!literal("[") || !string(out.path, "the path") || !literal(",") ||
        !string(mode, "the mode")) {
      return false;
    }
    if (mode == "100644" || mode == "100755") {
      out.kind = mode == "100644" ? EntryKind::kFile : EntryKind::kExecutable;
      if (!literal(",") || !number(out.size) || !literal(",") ||
          !string(out.digest, "the digest")) {
        return false;
      }
    } else if (mode == "120000") {
      out.kind = EntryKind::kSymlink;
      if (!literal(",") || !string(out.target, "the symlink's target")) return false;
    } else if (mode == "040000") {
      out.kind = EntryKind::kEmptyFolder;
    } else {
      problem = fmt::format("the mode \"{}\" is none of 100644, 100755, 120000, 040000",
                            printable(mode, 20));
      return false;
    }
    if (!literal("]")) return false;
    if (!rest_.empty()) problem = fmt::format("\"{}\" after the array", printable(rest_, 20));
    return rest_.empty();
  }

  std::string problem;

 private:
  bool literal(std::string_view expected) {
    if (rest_.substr(0, expected.size()) == expected) {
      rest_.remove_prefix(expected.size());
      return true;
    }
    problem = rest_.empty()
                  ? fmt::format("the line ends where '{}' was expected", expected)
                  : fmt::format("'{}' expected at \"{}\"", expected, printable(rest_, 20));
    return false;
  }

  bool string(std::string& out, std::string_view what) {
    if (!literal("\"")) return false;
    bool high = false;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      const std::uint8_t kind = kClasses.of[static_cast<unsigned char>(rest_[i])];
      if (kind == kPlain) continue;
      if (kind == kHigh) {
        high = true;
        continue;
      }
      out.append(rest_.data(), i);
      rest_.remove_prefix(i);
      if (rest_[0] == '"') {
        rest_.remove_prefix(1);
        if (!high || is_utf8(out)) return true;
        problem = fmt::format("{} is not valid UTF-8", what);
        return false;
      }
      if (!escape(out)) {
        problem = fmt::format("{} is not escaped the canonical way", what);
        return false;
      }
      i = static_cast<std::size_t>(-1);
    }
    problem = fmt::format("{} has no closing quote", what);
    return false;
  }

  // One escaped character; only the spelling that manifest_text() writes.
  bool escape(std::string& out) {
    if (rest_[0] != '\\' || rest_.size() < 2) return false;
    if (const std::size_t at = kEscapeNames.find(rest_[1]); at != std::string_view::npos) {
      out += kEscapeValues[at];
      rest_.remove_prefix(2);
      return true;
    }
    if (rest_.size() < 6 || rest_.substr(1, 3) != "u00") return false;
    const std::string_view digits(kHexDigits, 16);
    const std::size_t high = digits.find(rest_[4]);
    const std::size_t low = digits.find(rest_[5]);
    if (high > 1 || low == std::string_view::npos) return false;
    const char value = static_cast<char>(high << 4 | low);
    if (kEscapeValues.find(value) != std::string_view::npos) return false;
    out += value;
    rest_.remove_prefix(6);
    return true;
  }

  bool number(std::uint64_t& out) {
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), out);
    const auto digits = static_cast<std::size_t>(end - rest_.data());
    if (error == std::errc::invalid_argument || (digits > 1 && rest_[0] == '0')) {
      problem = fmt::format("the size is not a plain whole number at \"{}\"", printable(rest_, 20));
      return false;
    }
    if (error != std::errc()) out = kMaxFileSize + 1;  // check_entry() refuses it
    rest_.remove_prefix(digits);
    return true;
  }

  std::string_view rest_;
};

bool utf8(std::string_view text) {
  const bool ascii = std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
  return ascii || is_utf8(text);
}

// What is wrong with an entry by itself; "" if nothing is.
std::string entry_problem(const ManifestEntry& entry) {
  std::string_view path = entry.path;
  if (entry.kind == EntryKind::kEmptyFolder) {
    if (path.empty() || path.back() != '/') return "the path of an empty folder must end in '/'";
    path.remove_suffix(1);
  }
  if (!is_safe_relative_path(path)) {
    return "the path is not a safe relative one (no leading '/', no empty, '.' or '..' parts, no "
           "NUL, "
           "at most 255 bytes a part and 4096 in all)";
  }
  if (!utf8(path)) return "the path is not valid UTF-8";
  if (entry.kind == EntryKind::kSymlink) {
    if (entry.target.size() > kMaxTarget) return "the symlink's target is longer than 4095 bytes";
    if (!utf8(entry.target)) return "the symlink's target is not valid UTF-8";
  } else if (!entry.target.empty()) {
    return "only a symlink has a target";
  }
  if (entry.is_file()) {
    if (entry.size > kMaxFileSize) return "the size is more than 2^50 bytes";
    if (!is_digest(entry.digest)) return "the digest is not 64 lower-case hex digits";
  } else if (entry.size != 0 || !entry.digest.empty()) {
    return "only a file has a size and a digest";
  }
  return "";
}

// Watches sorted paths go by and finds an entry that a later one would need to be a folder. Between
// a path and what lies below it only paths that begin with it can sort, so it is enough to remember
// the entries that begin the last one.
class ParentCheck {
 public:
  // "" or what is wrong with this entry after those before it.
  std::string next(const ManifestEntry& entry) {
    const std::string_view path = entry.path;
    if (last_ != nullptr) {
      const std::string_view before = last_->path;
      const auto [a, b] = std::mismatch(before.begin(), before.end(), path.begin(), path.end());
      const bool ascending =
          b != path.end() &&
          (a == before.end() || static_cast<unsigned char>(*a) < static_cast<unsigned char>(*b));
      if (!ascending) {
        return before == path ? "this path was there already"
                              : "the paths are not in ascending order of their bytes";
      }
      const auto common = static_cast<std::size_t>(b - path.begin());
      while (!beginnings_.empty() && beginnings_.back()->path.size() > common)
        beginnings_.pop_back();
      for (const ManifestEntry* parent : beginnings_) {
        if (parent->kind == EntryKind::kEmptyFolder) return "it lies in a folder listed as empty";
        if (path[parent->path.size()] != '/') continue;
        return fmt::format("\"{}\" is a {} and cannot hold it", printable(parent->path),
                           parent->kind == EntryKind::kSymlink ? "symlink" : "file");
      }
    }
    beginnings_.push_back(&entry);
    last_ = &entry;
    return "";
  }

 private:
  const ManifestEntry* last_ = nullptr;
  std::vector<const ManifestEntry*> beginnings_;
};

bool is_symlink(const Manifest& manifest, std::string_view path) {
  const auto at = std::lower_bound(
      manifest.entries.begin(), manifest.entries.end(), path,
      [](const ManifestEntry& entry, std::string_view wanted) { return entry.path < wanted; });
  return at != manifest.entries.end() && at->path == path && at->kind == EntryKind::kSymlink;
}

tl::unexpected<Error> refuse(std::size_t line, std::string_view path, std::string_view reason) {
  return fail(ErrorCode::kInvalidArgument,
              path.empty()
                  ? fmt::format("manifest line {}: {}", line, reason)
                  : fmt::format("manifest line {} (\"{}\"): {}", line, printable(path), reason));
}

}  // namespace

std::string_view entry_mode(EntryKind kind) {
  switch (kind) {
    case EntryKind::kFile:
      return "100644";
    case EntryKind::kExecutable:
      return "100755";
    case EntryKind::kSymlink:
      return "120000";
    case EntryKind::kEmptyFolder:
      return "040000";
  }
  return "";
}

std::string manifest_text(const Manifest& manifest) {
  constexpr std::size_t kRest = 128;  // more than brackets, mode, size and digest take
  std::string out;
  std::string line;
  std::size_t room = 0;
  for (const auto& entry : manifest.entries)
    room += entry.path.size() + entry.target.size() + kRest;
  out.reserve(room);
  for (const auto& entry : manifest.entries) {
    line.resize(std::max(line.size(), 6 * (entry.path.size() + entry.target.size()) + kRest));
    char* at = put_string(put(line.data(), "["), entry.path);
    at = put(put(put(at, ",\""), entry_mode(entry.kind)), "\"");
    if (entry.is_file()) {
      at = std::to_chars(put(at, ","), line.data() + line.size(), entry.size).ptr;
      at = put(put(put(at, ",\""), std::string_view(entry.digest).substr(0, 64)), "\"");
    } else if (entry.kind == EntryKind::kSymlink) {
      at = put_string(put(at, ","), entry.target);
    }
    at = put(at, "]\n");
    out.append(line.data(), at);
  }
  return out;
}

std::optional<std::string> symlink_problem(const Manifest& manifest, const ManifestEntry& link) {
  const std::string_view target = link.target;
  if (target.empty()) return "is a symlink to nothing";
  if (target.find('\0') != std::string_view::npos) return "is a symlink with a NUL in its target";
  if (target[0] == '/') {
    return fmt::format("is a symlink to the absolute path {}", printable(target));
  }
  std::string at = link.path.substr(0, link.path.rfind('/') + 1);  // "" or "a/b/"
  bool behind_symlink = false;
  for (std::size_t start = 0; start < target.size();) {
    const std::size_t end = std::min(target.find('/', start), target.size());
    const std::string_view part = target.substr(start, end - start);
    start = end + 1;
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      at += part;
      const bool goes_up_later = target.find("..", end) != std::string_view::npos;
      if (goes_up_later && is_symlink(manifest, at)) behind_symlink = true;
      at += '/';
      continue;
    }
    if (behind_symlink) {
      return fmt::format("is a symlink to {}, which goes through another symlink and then up",
                         printable(target));
    }
    if (at.empty()) return fmt::format("is a symlink out of the folder, to {}", printable(target));
    at.pop_back();
    at.resize(at.rfind('/') + 1);
  }
  return std::nullopt;
}

Status check_manifest(const Manifest& manifest) {
  if (manifest.entries.size() > kMaxManifestEntries) {
    return fail(ErrorCode::kInvalidArgument, "the manifest has more than 10 million entries");
  }
  ParentCheck parents;
  std::uint64_t size = 0;
  bool links = false;
  for (std::size_t i = 0; i < manifest.entries.size(); ++i) {
    const auto& entry = manifest.entries[i];
    std::string problem = entry_problem(entry);
    if (problem.empty()) problem = parents.next(entry);
    if (!problem.empty()) return refuse(i + 1, entry.path, problem);
    size += entry.size;
    if (size > kMaxSnapshotSize)
      return refuse(i + 1, entry.path, "the files are together too large");
    links = links || entry.kind == EntryKind::kSymlink;
  }
  // After the order is known to be right: the rule about symlinks looks other entries up.
  for (std::size_t i = 0; links && i < manifest.entries.size(); ++i) {
    const auto& entry = manifest.entries[i];
    if (entry.kind != EntryKind::kSymlink) continue;
    if (const auto problem = symlink_problem(manifest, entry)) {
      return refuse(i + 1, entry.path, "it " + *problem);
    }
  }
  if (size != manifest.size) die("a manifest's size must be the sum of its files");
  return {};
}

Result<Manifest> parse_manifest(std::string_view text) {
  Manifest manifest;
  constexpr std::size_t kShortestLine = 16;
  manifest.entries.reserve(
      std::min({static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')),
                text.size() / kShortestLine, kMaxManifestEntries}));
  for (std::size_t line = 1; !text.empty(); ++line) {
    if (line > kMaxManifestEntries) {
      return fail(ErrorCode::kInvalidArgument, "the manifest has more than 10 million entries");
    }
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos)
      return refuse(line, "", "the line is not ended by a newline");
    ManifestEntry& entry = manifest.entries.emplace_back();
    LineReader reader(text.substr(0, end));
    if (!reader.entry(entry)) return refuse(line, entry.path, reader.problem);
    // A sum that wraps around is refused by check_manifest() at the entry that made it too large.
    manifest.size += entry.size;
    text.remove_prefix(end + 1);
  }
  ROOST_CHECK(check_manifest(manifest));
  return manifest;
}

std::size_t count_files(const Manifest& manifest) {
  return static_cast<std::size_t>(std::count_if(manifest.entries.begin(), manifest.entries.end(),
                                                [](const auto& entry) { return entry.is_file(); }));
}

Json entries_json(const Manifest& manifest) {
  Json out = Json::array();
  for (const auto& entry : manifest.entries) {
    Json item = {{"path", entry.path}, {"mode", entry_mode(entry.kind)}};
    if (entry.is_file()) {
      item["size"] = entry.size;
      item["digest"] = entry.digest;
    } else if (entry.kind == EntryKind::kSymlink) {
      item["link"] = entry.target;
    }
    out.push_back(std::move(item));
  }
  return out;
}

Result<Manifest> manifest_from_entries(const Json& entries) {
  if (!entries.is_array()) {
    return fail(ErrorCode::kInvalidArgument, "the snapshot's entries must be an array");
  }
  Manifest manifest;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    JsonFields fields(entries[i], fmt::format("entry {} of the snapshot", i + 1));
    ManifestEntry entry;
    entry.path = fields.required_string("path");
    const std::string mode = fields.required_string("mode");
    constexpr EntryKind kKinds[] = {EntryKind::kFile, EntryKind::kExecutable, EntryKind::kSymlink,
                                    EntryKind::kEmptyFolder};
    const auto* kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                    [&](EntryKind one) { return entry_mode(one) == mode; });
    if (kind == std::end(kKinds)) {
      fields.reject(fmt::format("entry {} of the snapshot has an unknown mode \"{}\"", i + 1,
                                printable(mode, 20)));
    } else {
      entry.kind = *kind;
    }
    if (entry.is_file()) {
      constexpr auto kLimit = static_cast<std::int64_t>(kMaxFileSize);
      entry.size = static_cast<std::uint64_t>(fields.integer("size", 0, 0, kLimit));
      entry.digest = fields.required_string("digest");
    } else if (entry.kind == EntryKind::kSymlink) {
      entry.target = fields.required_string("link");
    }
    ROOST_CHECK(fields.done());
    manifest.size += entry.size;
    manifest.entries.push_back(std::move(entry));
  }
  ROOST_CHECK(check_manifest(manifest));
  return manifest;
}

}  // namespace roost
