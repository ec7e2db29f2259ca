#include "snapshot/tree_scan.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/log.h"
#include "base/text.h"
#include "base/worker_pool.h"
#include "snapshot/file_hash.h"
#include "snapshot/stat_cache.h"
#include "snapshot/tree_walk.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr std::size_t kNamedRefusals = 10;

Result<Fd> open_source(const fs::path& root) {
  Fd fd(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd) return fd;
  if (errno == ENOENT) {
    return fail(
        ErrorCode::kNotFound,
        fmt::format("there is no folder {}; give the one that holds the script", root.string()));
  }
  if (errno == ENOTDIR) {
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format("{} is not a folder; give the folder that holds the script", root.string()));
  }
  return fail_errno(errno, "read the folder " + root.string());
}

Error refused(const fs::path& root, std::vector<Refusal> refusals, const std::string& ignore_name) {
  std::sort(refusals.begin(), refusals.end(),
            [](const Refusal& a, const Refusal& b) { return a.path < b.path; });
  std::string message = fmt::format(
      "cannot take a snapshot of {}; remove {} or leave {} out by {}:", root.string(),
      refusals.size() == 1 ? "this" : "these", refusals.size() == 1 ? "it" : "them", ignore_name);
  for (std::size_t i = 0; i < std::min(refusals.size(), kNamedRefusals); ++i) {
    message += fmt::format("\n  {} {}", printable(refusals[i].path, 200), refusals[i].reason);
  }
  if (refusals.size() > kNamedRefusals) {
    message += fmt::format("\n  and {} more", refusals.size() - kNamedRefusals);
  }
  return {ErrorCode::kInvalidArgument, std::move(message)};
}

// Fills in the digests of the entries `wanted`, on several threads. An entry that is gone keeps an
// empty digest.
void hash_files(int root, int threads, std::vector<std::size_t> wanted, WalkedTree& tree) {
  auto& entries = tree.manifest.entries;
  // The largest first, so that no thread is left alone with one at the end.
  std::sort(wanted.begin(), wanted.end(), [&](std::size_t a, std::size_t b) {
    return tree.stamps[a].size > tree.stamps[b].size;
  });
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;  // guards tree.refusals
  const auto work = [&] {
    FileHasher hasher(root);
    for (std::size_t i = next++; i < wanted.size(); i = next++) {
      ManifestEntry& entry = entries[wanted[i]];
      auto hashed = hasher.hash(entry.path);
      if (hashed) {
        entry.digest = std::move(hashed->digest);
        tree.stamps[wanted[i]] = hashed->stamp;
        const bool executable = (hashed->stamp.mode & S_IXUSR) != 0;
        entry.kind = executable ? EntryKind::kExecutable : EntryKind::kFile;
      } else if (hashed.error().code != ErrorCode::kNotFound) {
        const std::lock_guard lock(mutex);
        tree.refusals.push_back({entry.path, hashed.error().message});
      }
    }
  };
  const auto useful =
      std::min<std::size_t>(static_cast<std::size_t>(threads), wanted.size() / 4 + 1);
  WorkerPool others(static_cast<int>(useful) - 1);
  for (std::size_t i = 1; i < useful; ++i) others.submit(work);
  work();
}

void save_cache(const fs::path& file, const StatCache& before, const std::string& bytes) {
  if (bytes == before.bytes()) return;
  // It only saves time, so a full or read-only disk is no reason to fail.
  if (auto saved = write_stat_cache(file, bytes); !saved) log_debug("{}", saved.error().message);
}

}  // namespace

Result<ScannedTree> scan_tree(const fs::path& source, const ScanOptions& options) {
  ScannedTree out;
  std::error_code error;
  out.root = fs::absolute(source.empty() ? "." : source, error).lexically_normal();
  if (!out.root.has_filename()) out.root = out.root.parent_path();  // "a/" is "a"
  const auto cores = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, 8U));
  const int threads = options.threads > 0 ? options.threads : cores;
  const std::int64_t scan_start = file_clock();
  ROOST_TRY(const Fd root, open_source(out.root));

  const bool cached = !options.cache_folder.empty();
  const fs::path cache_file = cached ? stat_cache_file(options.cache_folder, out.root) : fs::path();
  const StatCache cache = cached ? StatCache::read(cache_file) : StatCache();

  WalkedTree tree = walk_tree(root.get(), cache, threads);
  auto& entries = tree.manifest.entries;
  std::vector<std::size_t> unknown;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].is_file() && entries[i].digest.empty()) unknown.push_back(i);
  }
  out.hashed = unknown.size();
  if (out.hashed > 0) hash_files(root.get(), threads, std::move(unknown), tree);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].is_file()) {
      if (entries[i].digest.empty()) continue;
      entries[i].size = tree.stamps[i].size;
      tree.manifest.size += entries[i].size;
    } else if (entries[i].kind == EntryKind::kSymlink) {
      if (auto problem = symlink_problem(tree.manifest, entries[i])) {
        tree.refusals.push_back({entries[i].path, *problem});
      }
    }
  }

  const bool known = out.hashed == 0 && tree.names_from_cache && tree.refusals.empty();
  if (known && !cache.snapshot().empty()) {
    out.manifest = std::move(tree.manifest);
    out.digest = cache.snapshot();
    return out;
  }
  // When something is refused the cache is kept all the same: the user mends it and comes back.
  const bool refuse = !tree.refusals.empty();
  const bool vanished = std::any_of(entries.begin(), entries.end(), [](const ManifestEntry& entry) {
    return entry.is_file() && entry.digest.empty();
  });
  if (!refuse && !vanished) out.digest = sha256_hex(manifest_text(tree.manifest));
  if (cached) save_cache(cache_file, cache, cache_of(tree, scan_start, out.digest));
  if (refuse) return fail(refused(out.root, std::move(tree.refusals), tree.ignore_name));
  out.manifest = std::move(tree.manifest);
  if (vanished) {
    std::erase_if(out.manifest.entries, [](const ManifestEntry& entry) {
      return entry.is_file() && entry.digest.empty();
    });
    out.digest = sha256_hex(manifest_text(out.manifest));
  }
  return out;
}

}  // namespace roost
