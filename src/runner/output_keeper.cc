#include "runner/output_keeper.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "base/log.h"
#include "runner/collect_outputs.h"

namespace roost {
namespace {

constexpr std::chrono::milliseconds kEvery{3000};
constexpr std::chrono::milliseconds kAgain{700};  // until the server has taken it as a set: it is at rest only between two writes
constexpr std::int64_t kSettledNs = 1'000'000'000;
constexpr std::int64_t kNsInUs = 1'000;
constexpr std::int64_t kNsInMs = 1'000'000;

std::int64_t nanoseconds(const struct timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

// A copy can have any time and size; the kernel's own time of change it cannot choose.
bool is_same(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
         nanoseconds(a.st_mtim) == nanoseconds(b.st_mtim) && nanoseconds(a.st_ctim) == nanoseconds(b.st_ctim);
}

bool is_same(const std::map<std::string, struct stat>& a, const std::map<std::string, struct stat>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.first == y.first && is_same(x.second, y.second); });
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

}  // namespace

OutputKeeper::OutputKeeper(const std::string& server_file, const std::string& data_id, const std::string& token,
                           std::string path, OutputTree tree, int node_rank, bool is_one_of_several, const Clock& clock)
    : path_(std::move(path)),
      tree_(std::move(tree)),
      node_rank_(node_rank),
      is_one_of_several_(is_one_of_several),
      clock_(clock),
      server_(server_file, data_id, token, stopped_),
      thread_([this] { run(); }) {}

void OutputKeeper::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::vector<std::string> OutputKeeper::removed(const Json& left) const {
  std::set<std::string> there;
  for (const auto& file : left) there.insert(text_at(file, "path"));
  std::vector<std::string> gone;
  for (const auto& [folder, files] : taken_) {
    for (const auto& [path, info] : files) {
      if (!there.contains(path)) gone.push_back(path);
    }
  }
  return gone;
}

void OutputKeeper::run() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, is_waiting_ ? kAgain : kEvery, [this] { return stopped_.load(); })) {
    lock.unlock();
    keep();
    lock.lock();
  }
}

bool OutputKeeper::has_settled(const FoundOutput& file, std::int64_t now) const {
  if (nanoseconds(file.info.st_ctim) <= now - kSettledNs) return true;
  // Where the clock was set back, a second look tells.
  const auto folder = looked_.find(folder_of(file.path));
  if (folder == looked_.end()) return false;
  const auto before = folder->second.find(file.path);
  return before != folder->second.end() && is_same(before->second, file.info);
}

void OutputKeeper::send(const std::vector<FoundOutput>& files) {
  SpaceWait no_wait(clock_, 0, [] { return true; });
  const auto sent = upload_outputs(server_, tree_, files, no_wait);
  if (!sent) return;
  std::map<std::string, Json> by_path;
  for (const auto& facts : sent->files) by_path[text_at(facts, "path")] = facts;
  for (const auto& file : files) {
    if (const auto found = by_path.find(file.path); found != by_path.end()) sent_[file.path] = {file.info, found->second};
  }
}

Json OutputKeeper::folder_report(const std::string& folder, const Stats& files, std::int64_t now) const {
  Json report = {{"folder", folder}, {"settled", true}, {"files", Json::array()}, {"gone", Json::array()}};
  std::int64_t changed = 0;
  for (const auto& [path, info] : files) {
    changed = std::max(changed, nanoseconds(info.st_ctim));
    const auto sent = sent_.find(path);
    if (sent != sent_.end() && is_same(sent->second.info, info)) report["files"].push_back(sent->second.facts);
    else report["settled"] = false;
  }
  if (const auto taken = taken_.find(folder); taken != taken_.end()) {
    for (const auto& [path, info] : taken->second) {
      if (!files.contains(path)) report["gone"].push_back(path);
    }
  }
  report["rest_ms"] = files.empty() ? 0 : std::clamp<std::int64_t>((now - changed) / kNsInMs, 0, INT32_MAX);
  return report;
}

void OutputKeeper::keep() {
  const std::int64_t now = clock_.now() * kNsInUs;
  const Micros began = clock_.steady();
  is_waiting_ = false;
  Notices told_at_the_end;
  std::map<std::string, Stats> folders;
  std::vector<FoundOutput> settled;
  for (auto& file : tree_.find(told_at_the_end)) {
    folders[folder_of(file.path)][file.path] = file.info;
    const auto sent = sent_.find(file.path);
    const bool is_there = sent != sent_.end() && is_same(sent->second.info, file.info);
    if (!is_there && has_settled(file, now)) settled.push_back(std::move(file));
  }
  if (!settled.empty()) send(settled);
  Json changed = Json::array();
  for (const auto& [folder, files] : taken_) folders.try_emplace(folder);  // all its files may be gone
  for (const auto& [folder, files] : folders) {
    const auto taken = taken_.find(folder);
    if (taken == taken_.end() || !is_same(taken->second, files)) changed.push_back(folder_report(folder, files, now));
  }
  looked_ = std::move(folders);
  if (changed.empty() && !is_one_of_several_) return;
  const std::size_t wanted = changed.size();
  const Micros ago = clock_.steady() - began;
  const Json body = {{"node_rank", node_rank_}, {"looked_ms_ago", ago / 1000}, {"folders", std::move(changed)}};
  const auto kept = server_.once([&](ApiClient& api) { return api.post(path_, body); });
  if (!kept) {
    sent_.clear();  // the server may have lost some
    if (!stopped_) log_debug("outputs are not kept yet: {}", kept.error().message);
    return;
  }
  const auto sets = strings_at(*kept, "sets");
  is_waiting_ = sets.size() < wanted;
  for (const auto& name : sets) {
    if (looked_[name].empty()) taken_.erase(name);
    else taken_[name] = looked_[name];
  }
}

Json ended_folders(const Json& files) {
  std::map<std::string, Json> folders;
  for (const auto& file : files) folders.try_emplace(folder_of(text_at(file, "path")), Json::array()).first->second.push_back(file);
  Json all = Json::array();
  for (auto& [folder, list] : folders) {
    all.push_back({{"folder", folder}, {"rest_ms", 0}, {"settled", true}, {"files", std::move(list)}});
  }
  return all;
}

}  // namespace roost
