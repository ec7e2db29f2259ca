#include "snapshot/tree_walk.h"

#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <utility>

#include "base/worker_pool.h"

namespace roost {
namespace {

// The device of the tree if it is a file system that stamps a folder anew whenever a name in it
// comes or goes. Network and user-space ones may not, so there every folder is read.
std::uint64_t trusted_device(int root) {
  constexpr long kTrusted[] = {0xEF53 /* ext */,
                               0x58465342 /* xfs */,
                               0x9123683E /* btrfs */,
                               0x01021994 /* tmpfs */,
                               0xF2F52010 /* f2fs */,
                               0x2FC12FC1 /* zfs */,
                               0x794C7630 /* overlay */};
  struct statfs system{};
  struct stat info{};
  if (::fstatfs(root, &system) != 0 || ::fstat(root, &info) != 0) return 0;
  const auto type = static_cast<long>(system.f_type);
  return std::find(std::begin(kTrusted), std::end(kTrusted), type) == std::end(kTrusted)
             ? 0
             : info.st_dev;
}

// The folders still to be listed, shared by the threads.
class Folders {
 public:
  explicit Folders(WalkedFolder& root) { push_children(root); }

  // Runs on each thread until every folder is listed.
  void work(FolderReader& reader) {
    std::unique_lock lock(mutex_);
    for (;;) {
      while (todo_.empty() && busy_ > 0) wake_.wait(lock);
      if (todo_.empty()) break;
      WalkedFolder* folder = todo_.back();
      todo_.pop_back();
      ++busy_;
      lock.unlock();
      reader.list(*folder);
      lock.lock();
      --busy_;
      push_children(*folder);
      if (todo_.size() > 1 || (todo_.empty() && busy_ == 0)) wake_.notify_all();
    }
  }

 private:
  void push_children(WalkedFolder& folder) {
    for (auto it = folder.children.rbegin(); it != folder.children.rend(); ++it) {
      todo_.push_back(it->folder.get());
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<WalkedFolder*> todo_;
  int busy_ = 0;  // threads that may still find more
};

// Calls `entry(i)` for each entry of the folder and `child(folder)` for each subfolder, in
// ascending order of paths.
template <class Entry, class Child>
void in_order(const WalkedFolder& folder, Entry entry, Child child) {
  std::size_t done = 0;
  for (const auto& one : folder.children) {
    while (done < one.before) entry(done++);
    child(*one.folder);
  }
  while (done < folder.stamps.size()) entry(done++);
}

bool is_empty(const WalkedFolder& folder) {
  return folder.stamps.empty() && folder.children.empty() && folder.refusals.empty() &&
         !folder.gone && !folder.path.empty();
}

std::size_t count_entries(const WalkedFolder& folder) {
  std::size_t count = folder.entries.size() + 1;
  for (const auto& child : folder.children) count += count_entries(*child.folder);
  return count;
}

void flatten(WalkedFolder& folder, WalkedTree& out) {
  out.names_from_cache = out.names_from_cache && folder.from_cache;
  if (is_empty(folder)) {
    out.manifest.entries.push_back({folder.path, EntryKind::kEmptyFolder, 0, "", ""});
    out.stamps.emplace_back();
  }
  in_order(
      folder,
      [&](std::size_t i) {
        out.manifest.entries.push_back(std::move(folder.entries[i]));
        out.stamps.push_back(folder.stamps[i]);
      },
      [&](WalkedFolder& child) { flatten(child, out); });
  folder.entries = {};
  std::copy(folder.refusals.begin(), folder.refusals.end(), std::back_inserter(out.refusals));
}

std::string_view last_part(std::string_view path) {
  if (path.ends_with('/')) path.remove_suffix(1);
  return path.substr(path.rfind('/') + 1);
}

// Writes the records of a folder; `next` is the index of its first entry in the manifest.
void write_records(const WalkedTree& tree, const WalkedFolder& folder, std::size_t& next,
                   StatCacheWriter& writer) {
  const std::size_t record =
      writer.begin_folder(last_part(folder.path), folder.stamp, folder.rules);
  bool complete = folder.refusals.empty();
  if (is_empty(folder)) ++next;
  in_order(
      folder,
      [&](std::size_t) {
        const ManifestEntry& entry = tree.manifest.entries[next];
        const FileStamp& stamp = tree.stamps[next++];
        if (entry.kind == EntryKind::kSymlink) {
          writer.add_symlink(last_part(entry.path), entry.target);
        } else if (!entry.digest.empty()) {
          writer.add_file(last_part(entry.path), stamp, entry.digest);
        } else {
          complete = false;
        }
      },
      [&](const WalkedFolder& child) {
        if (child.gone) {
          complete = false;
        } else {
          write_records(tree, child, next, writer);
        }
      });
  writer.end_folder(record, complete);
}

}  // namespace

WalkedTree walk_tree(int root, const StatCache& cache, int threads) {
  WalkedTree out;
  out.root = std::make_unique<WalkedFolder>();
  if (cache.count() > 0) out.root->cached = 0;
  out.root->same_rules = true;
  const std::uint64_t device = trusted_device(root);
  FolderReader reader(root, cache, device, kGitIgnore);
  reader.list(*out.root);
  {
    Folders folders(*out.root);
    WorkerPool others(threads - 1);
    for (int i = 1; i < threads; ++i) {
      others.submit([&folders, &cache, root, device, name = reader.ignore_name()] {
        FolderReader mine(root, cache, device, name);
        folders.work(mine);
      });
    }
    folders.work(reader);
  }
  out.ignore_name = reader.ignore_name();
  out.names_from_cache = true;
  const std::size_t count = count_entries(*out.root);
  out.manifest.entries.reserve(count);
  out.stamps.reserve(count);
  flatten(*out.root, out);
  return out;
}

std::string cache_of(const WalkedTree& tree, std::int64_t scan_start, std::string_view snapshot) {
  StatCacheWriter writer(scan_start);
  std::size_t next = 0;
  write_records(tree, *tree.root, next, writer);
  return writer.finish(tree.ignore_name == kAmlIgnore, snapshot);
}

}  // namespace roost
