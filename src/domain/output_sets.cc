#include "domain/output_sets.h"

#include <algorithm>
#include <set>

namespace roost {
namespace {

constexpr std::size_t kPauses = 8;     // that are remembered
constexpr std::size_t kTellingPauses = 3;
constexpr Micros kForEver = INT64_MAX;

bool same(const FolderReport& a, const FolderReport& b) {
  return a.settled == b.settled && a.gone == b.gone &&
         std::equal(a.files.begin(), a.files.end(), b.files.begin(), b.files.end(),
                    [](const OutputFile& x, const OutputFile& y) { return x.path == y.path && x.digest == y.digest; });
}

OutputSet joined(const std::string& name, const std::map<int, FolderReport>& parts) {
  OutputSet set;
  set.folder = name;
  std::set<std::string> taken;
  for (const auto& [rank, part] : parts) {
    for (const auto& file : part.files) {
      if (taken.insert(file.path).second) set.files.push_back(file);
    }
  }
  for (const auto& [rank, part] : parts) {
    for (const auto& path : part.gone) {
      if (taken.insert(path).second) set.gone.push_back(path);
    }
  }
  return set;
}

}  // namespace

Micros OutputSets::long_enough(const Folder& folder) const {
  const Micros most = nodes_ > 1 ? kAtFirstOfSeveral : kAtFirst;
  if (folder.pauses.size() < kTellingPauses) return most;
  const Micros longest = *std::max_element(folder.pauses.begin(), folder.pauses.end());
  return std::clamp(longest / 2, kLeast, most);
}

void OutputSets::take(Folder& folder, int node_rank, const FolderReport& report, Micros now) const {
  const auto before = folder.parts.find(node_rank);
  if (before != folder.parts.end() && same(before->second, report)) return;
  const Micros changed = now - report.rest;
  if (folder.changed != 0 && changed > folder.changed) {
    folder.pauses.push_back(changed - folder.changed);
    if (folder.pauses.size() > kPauses) folder.pauses.pop_front();
  }
  folder.changed = std::max(folder.changed, changed);
  folder.pending = true;
  folder.parts[node_rank] = report;
}

bool OutputSets::is_whole(const Folder& folder) const {
  if (looked_.size() < static_cast<std::size_t>(nodes_)) return false;
  Micros seen = kForEver;
  for (const auto& [rank, at] : looked_) seen = std::min(seen, at);
  for (const auto& [rank, part] : folder.parts) {
    if (!part.settled) return false;
  }
  return seen == kForEver || seen - folder.changed >= long_enough(folder);
}

std::vector<OutputSet> OutputSets::look(int node_rank, const std::vector<FolderReport>& changed, bool ended, Micros now) {
  looked_[node_rank] = ended ? kForEver : now;
  for (const auto& report : changed) take(folders_[report.folder], node_rank, report, now);
  std::vector<OutputSet> sets;
  for (auto& [name, folder] : folders_) {
    if (!folder.pending || !is_whole(folder)) continue;
    folder.pending = false;
    sets.push_back(joined(name, folder.parts));
    for (auto& [rank, part] : folder.parts) part.gone.clear();
  }
  return sets;
}

bool OutputSets::is_set(const std::string& folder) const {
  const auto found = folders_.find(folder);
  return found != folders_.end() && !found->second.pending;
}

}  // namespace roost
