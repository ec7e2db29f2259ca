#include "cli/work/large_upload.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "client/snapshot_transport.h"
#include "cli/show/run_text.h"
#include "cli/show/text_width.h"

namespace roost {
namespace {

std::uint64_t total_of(const std::vector<const ManifestEntry*>& entries) {
  std::uint64_t bytes = 0;
  for (const ManifestEntry* entry : entries) bytes += entry->size;
  return bytes;
}

// The first part of what is below `prefix`, with "/" if it is a folder.
std::string part_below(const std::string& path, std::size_t prefix) {
  const auto slash = path.find('/', prefix);
  return slash == std::string::npos ? path : path.substr(0, slash + 1);
}

// Down to where it spreads out: of data/imagenet/train/... the line is not "data/" if other things are there.
std::string narrowed(const std::vector<const ManifestEntry*>& entries, std::string line) {
  while (line.ends_with('/')) {
    std::map<std::string, std::uint64_t> below;
    std::uint64_t all = 0;
    for (const ManifestEntry* entry : entries) {
      if (!entry->path.starts_with(line)) continue;
      below[part_below(entry->path, line.size())] += entry->size;
      all += entry->size;
    }
    const auto largest = std::max_element(below.begin(), below.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    if (below.size() < 2 || largest->second * 10 < all * 9 || !largest->first.ends_with('/')) return line;
    line = largest->first;
  }
  return line;
}

bool says_yes() {
  std::string line;
  for (int c = std::getchar(); c != EOF && c != '\n'; c = std::getchar()) line += static_cast<char>(c);
  const std::string answer = lower(trim(line));
  return answer == "y" || answer == "yes";
}

Result<std::vector<const ManifestEntry*>> lacking(Console& console, const ScannedTree& tree) {
  ROOST_TRY(ServerAddress address, console.address());
  ROOST_TRY(const auto transport, http_transports(std::move(address))());
  ROOST_TRY(const auto created, transport->create_snapshot(manifest_text(tree.manifest)));
  const std::set<std::string> missing(created.missing.begin(), created.missing.end());
  std::vector<const ManifestEntry*> entries;
  for (const ManifestEntry& entry : tree.manifest.entries) {
    if (missing.contains(entry.digest)) entries.push_back(&entry);
  }
  return entries;
}

}  // namespace

std::vector<UploadPart> largest_parts(const std::vector<const ManifestEntry*>& entries, std::size_t most) {
  std::map<std::string, std::uint64_t> tops;
  for (const ManifestEntry* entry : entries) tops[part_below(entry->path, 0)] += entry->size;
  std::vector<UploadPart> parts;
  for (const auto& [line, bytes] : tops) parts.push_back({line, bytes});
  std::sort(parts.begin(), parts.end(), [](const UploadPart& a, const UploadPart& b) { return a.bytes > b.bytes; });
  if (parts.size() > most) parts.resize(most);
  for (UploadPart& part : parts) part.line = narrowed(entries, part.line);
  return parts;
}

Status confirm_upload(Console& console, const ScannedTree& tree, bool yes) {
  if (yes || tree.manifest.size < kLargeUpload) return {};
  ROOST_TRY(const auto entries, lacking(console, tree));
  const std::uint64_t bytes = total_of(entries);
  if (bytes < kLargeUpload) return {};
  std::string text = fmt::format("{} go to the server, the most of it:\n", human_bytes(bytes));
  const auto parts = largest_parts(entries);
  for (const UploadPart& part : parts) text += fmt::format("  {:>9}  {}\n", human_bytes(part.bytes), one_line(part.line));
  text += fmt::format("What the run does not need stays here if {} has a line for it, like: {}\n", (tree.root / ".amlignore").string(),
                      one_line(parts.front().line));
  std::fputs(console.err()(Tone::kYellow, text).c_str(), stderr);
  if (!is_terminal(0) || !is_terminal(2)) return {};
  std::fputs("Upload it all? [y/N] ", stderr);
  if (says_yes()) return {};
  return fail(ErrorCode::kFailedPrecondition, "nothing was uploaded; --yes uploads without a question");
}

}  // namespace roost
