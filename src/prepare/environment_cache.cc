#include "prepare/environment_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <set>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/inside_write.h"
#include "base/log.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr Micros kUseKnownFor = 60 * kSecond;  // the time of use is not written more often

std::uint64_t size_of(const fs::path& folder) {
  std::uint64_t total = 0;
  std::error_code error;
  for (auto it = fs::recursive_directory_iterator(folder, error); it != fs::recursive_directory_iterator();
       it.increment(error)) {
    if (error) break;
    struct stat info {};
    if (::lstat(it->path().c_str(), &info) == 0) total += static_cast<std::uint64_t>(info.st_blocks) * 512;
  }
  return total;
}

}  // namespace

Json cached_environment_json(const CachedEnvironment& environment) {
  Json out = built_json(environment.built);
  out["digest"] = environment.digest;
  out["folder"] = environment.folder.string();
  out["size"] = environment.size;
  out["created_at"] = format_time(environment.created);
  out["used_at"] = format_time(environment.used);
  return out;
}

Result<std::unique_ptr<EnvironmentCache>> EnvironmentCache::open(const fs::path& folder) {
  ROOST_CHECK(make_folders(folder));
  std::unique_ptr<EnvironmentCache> cache(new EnvironmentCache(folder));
  std::set<fs::path> kept;
  std::error_code error;
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(folder, error)) entries.push_back(entry.path());
  for (const auto& path : entries) {
    if (path.extension() != ".json") continue;
    const auto text = read_file(path);
    const Json json = text ? stored_json(*text) : Json();
    CachedEnvironment environment;
    if (json.is_object()) {
      environment.digest = text_at(json, "digest");
      environment.folder = text_at(json, "folder");
      environment.built = built_from(json);
      environment.size = size_at(json, "size");
      environment.created = parse_time(text_at(json, "created_at")).value_or(0);
      environment.used = parse_time(text_at(json, "used_at")).value_or(0);
    }
    if (!is_digest(environment.digest) || !fs::exists(environment.folder, error)) {
      fs::remove(path, error);
      continue;
    }
    kept.insert(environment.folder);
    cache->known_[environment.digest] = std::move(environment);
  }
  for (const auto& path : entries) {
    if (path.extension() == ".json" || path.extension() == ".log" || kept.contains(path)) continue;
    log_info("removing an unfinished environment: {}", path.string());
    if (auto removed = remove_tree(path); !removed) log_warning("{}", removed.error().message);
  }
  return cache;
}

std::optional<CachedEnvironment> EnvironmentCache::known(const std::string& digest) const {
  const std::lock_guard lock(mutex_);
  const auto it = known_.find(digest);
  return it == known_.end() ? std::nullopt : std::optional(it->second);
}

std::optional<CachedEnvironment> EnvironmentCache::find(const std::string& digest, Micros now) {
  check_outside_write("looks for an environment");
  auto found = known(digest);
  if (!found) return std::nullopt;
  const bool is_gone = ::access(found->built.python.c_str(), X_OK) != 0;  // somebody removed it by hand
  if (!is_gone && now - found->used <= kUseKnownFor) return found;
  const std::lock_guard index_lock(index_mutex_);
  {
    const std::lock_guard lock(mutex_);
    const auto it = known_.find(digest);
    if (it == known_.end() || it->second.folder != found->folder) return std::nullopt;  // it is being removed
    if (is_gone) {
      known_.erase(it);
    } else {
      it->second.used = found->used = now;
    }
  }
  if (is_gone) {
    std::error_code error;
    fs::remove(index_file(digest), error);
    return std::nullopt;
  }
  if (auto written = write_index(*found); !written) log_warning("{}", written.error().message);
  return found;
}

bool EnvironmentCache::has(const std::string& digest) const {
  const std::lock_guard lock(mutex_);
  return known_.contains(digest);
}

std::vector<CachedEnvironment> EnvironmentCache::list() const {
  const std::lock_guard lock(mutex_);
  std::vector<CachedEnvironment> all;
  for (const auto& [digest, environment] : known_) all.push_back(environment);
  return all;
}

fs::path EnvironmentCache::new_folder(const std::string& digest) const {
  return folder_ / fmt::format("{}-{}", digest.substr(0, 16), random_hex(4));
}

fs::path EnvironmentCache::index_file(const std::string& digest) const { return folder_ / (digest + ".json"); }
fs::path EnvironmentCache::log_file(const std::string& digest) const { return folder_ / (digest + ".log"); }

Status EnvironmentCache::write_index(const CachedEnvironment& environment) const {
  return write_file_atomic(index_file(environment.digest), to_text(cached_environment_json(environment)));
}

Status EnvironmentCache::keep(const std::string& digest, const fs::path& folder,
                              const BuiltEnvironment& built, Micros now) {
  CachedEnvironment environment{digest, folder, built, size_of(folder), now, now};
  // The index must not survive a power loss that its packages did not.
  const Fd opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened || ::syncfs(opened.get()) != 0) return fail_errno(errno, "sync " + folder.string());
  const std::lock_guard index_lock(index_mutex_);
  ROOST_CHECK(write_index(environment));
  const std::lock_guard lock(mutex_);
  known_[digest] = std::move(environment);
  return {};
}

Result<CachedEnvironment> EnvironmentCache::take_out(const std::string& digest) {
  const std::lock_guard lock(mutex_);
  const auto it = known_.find(digest);
  if (it == known_.end()) return fail(ErrorCode::kNotFound, fmt::format("there is no built environment {}", digest));
  CachedEnvironment taken = std::move(it->second);
  known_.erase(it);
  return taken;
}

void EnvironmentCache::put_back(CachedEnvironment environment) {
  const std::lock_guard lock(mutex_);
  const std::string digest = environment.digest;
  known_.emplace(digest, std::move(environment));
}

Status EnvironmentCache::remove_files(const CachedEnvironment& environment) {
  {
    const std::lock_guard index_lock(index_mutex_);
    if (!has(environment.digest)) {  // else it was built again meanwhile
      std::error_code error;
      fs::remove(index_file(environment.digest), error);
      fs::remove(log_file(environment.digest), error);
    }
  }
  return remove_tree(environment.folder);
}

}  // namespace roost
