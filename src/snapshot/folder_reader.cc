#include "snapshot/folder_reader.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/open_beneath.h"

namespace roost {
namespace {

constexpr std::size_t kListingBytes = 64 * 1024;
constexpr std::size_t kLongestPath = 4095;  // what open(2) takes

std::string_view type_reason(unsigned char type) {
  switch (type) {
    case DT_SOCK:
      return "is a socket";
    case DT_FIFO:
      return "is a named pipe";
    case DT_CHR:
    case DT_BLK:
      return "is a device";
    default:
      return "is neither a file, a folder nor a symlink";
  }
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
}

std::string unreadable(int errnum) {
  return fmt::format("cannot be read: {}", std::strerror(errnum));
}

std::string join(const std::string& folder, std::string_view name, std::string_view end = "") {
  std::string path;
  path.reserve(folder.size() + name.size() + end.size());
  path += folder;
  path += name;
  path += end;
  return path;
}

}  // namespace

// Folders sort as if their names ended in '/': then a walk meets full paths in ascending order.
bool FolderReader::Name::operator<(const Name& other) const {
  const std::size_t common = std::min(size, other.size);
  const int order = std::memcmp(text, other.text, common);
  if (order != 0) return order < 0;
  const auto next = [common](const Name& name) {
    const unsigned char end = name.type == DT_DIR ? '/' : '\0';
    return name.size > common ? static_cast<unsigned char>(name.text[common]) : end;
  };
  return next(*this) < next(other);
}

void FolderReader::list(WalkedFolder& folder) {
  const Fd fd = open_beneath(root_, folder.path.empty() ? "." : folder.path,
                             O_RDONLY | O_DIRECTORY | O_NONBLOCK);
  struct stat info{};
  if (!fd || ::fstat(fd.get(), &info) != 0) {
    folder.gone = errno == ENOENT;
    if (!folder.gone) folder.refusals.push_back({folder.path, unreadable(errno)});
    return;
  }
  // Taken before the names are read: if one comes or goes meanwhile, the next scan sees a new
  // stamp.
  folder.stamp = stamp_of(info);
  if (folder.cached) {
    const auto record = cache_.record(*folder.cached);
    const bool believed = record.stamp == folder.stamp && folder.stamp.device == device_;
    if (believed && folder.same_rules && list_cached(folder, record, fd.get())) return;
  }
  list_disk(folder, fd.get());
}

// False if something is not as the cache has it; the folder is then as it was.
bool FolderReader::list_cached(WalkedFolder& folder, const StatCache::Record& record, int fd) {
  if (folder.path.empty()) ignore_name_ = cache_.uses_amlignore() ? kAmlIgnore : kGitIgnore;
  const IgnoreScope::Ptr above = folder.scope;
  if (record.rules() != RulesHash{}) read_rules(folder, fd);
  bool same = folder.rules == record.rules() && folder.refusals.empty();
  const std::size_t end = cache_.end_of(*folder.cached);
  for (std::size_t i = *folder.cached + 1; same && i < end; i = cache_.next(i)) {
    const auto entry = cache_.record(i);
    const std::string_view name = cache_.name(entry);
    if (entry.is_folder()) {
      add_child(folder, name, i);
    } else if (entry.is_symlink()) {
      folder.entries.push_back(
          {join(folder.path, name), EntryKind::kSymlink, 0, "", std::string(cache_.target(entry))});
      folder.stamps.emplace_back();
    } else {
      struct stat info{};
      same = ::fstatat(fd, name.data(), &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode);
      if (same) add_file(folder, name, info, &entry);
    }
  }
  folder.from_cache = same;
  if (same) return true;
  folder.scope = above;
  folder.rules = {};
  folder.refusals.clear();
  folder.entries.clear();
  folder.stamps.clear();
  folder.children.clear();
  return false;
}

void FolderReader::list_disk(WalkedFolder& folder, int fd) {
  read_names(folder, fd);
  if (folder.path.empty()) choose_ignore_name(folder);
  if (std::any_of(names_.begin(), names_.end(),
                  [&](const Name& name) { return name.view() == ignore_name_; })) {
    read_rules(folder, fd);
  }
  std::size_t cached = 0;
  std::size_t cached_end = 0;
  if (folder.cached) {
    folder.same_rules = folder.same_rules && cache_.record(*folder.cached).rules() == folder.rules;
    cached = *folder.cached + 1;
    cached_end = cache_.end_of(*folder.cached);
  }
  std::erase_if(names_, [&](Name& name) { return !wanted(folder, name, fd); });
  std::sort(names_.begin(), names_.end());
  folder.entries.reserve(names_.size());
  folder.stamps.reserve(names_.size());
  for (const Name& name : names_) {
    // The record of this name, if there is one: both go in the same order.
    while (cached < cached_end && cached_name(cache_.record(cached)) < name) {
      cached = cache_.next(cached);
    }
    std::optional<StatCache::Record> before;
    if (cached < cached_end && !(name < cached_name(cache_.record(cached)))) {
      before = cache_.record(cached);
    }
    struct stat info{};
    if (name.type == DT_DIR) {
      add_child(folder, name.view(), before ? std::optional(cached) : std::nullopt);
    } else if (name.type == DT_LNK) {
      add_symlink(folder, name, fd);
    } else if (look(folder, name, fd, info)) {
      add_file(folder, name.view(), info, before ? &*before : nullptr);
    }
  }
}

void FolderReader::read_names(WalkedFolder& folder, int fd) {
  names_.clear();
  for (std::size_t used = 0;;) {
    if (listing_.size() - used < kListingBytes) grow_listing(used);
    const long got = ::syscall(SYS_getdents64, fd, listing_.data() + used, kListingBytes);
    if (got < 0) folder.refusals.push_back({folder.path, unreadable(errno)});
    if (got <= 0) return;
    for (const std::size_t end = used + static_cast<std::size_t>(got); used < end;) {
      const char* entry = listing_.data() + used;
      std::uint16_t length = 0;
      std::memcpy(&length, entry + offsetof(dirent64, d_reclen), sizeof length);
      used += length;
      const std::string_view name = entry + offsetof(dirent64, d_name);
      if (name == "." || name == "..") continue;
      names_.push_back({name.data(), static_cast<std::uint32_t>(name.size()),
                        static_cast<unsigned char>(entry[offsetof(dirent64, d_type)])});
    }
  }
}

void FolderReader::grow_listing(std::size_t used) {
  std::vector<char> larger(std::max(2 * listing_.size(), used + kListingBytes));
  std::copy_n(listing_.begin(), used, larger.begin());
  for (Name& name : names_) name.text = larger.data() + (name.text - listing_.data());
  listing_ = std::move(larger);
}

void FolderReader::choose_ignore_name(WalkedFolder& root) {
  const bool aml = std::any_of(names_.begin(), names_.end(),
                               [](const Name& name) { return name.view() == kAmlIgnore; });
  ignore_name_ = aml ? kAmlIgnore : kGitIgnore;
  root.same_rules = root.same_rules && aml == cache_.uses_amlignore();
}

void FolderReader::read_rules(WalkedFolder& folder, int fd) {
  const std::string path = join(folder.path, ignore_name_);
  const Fd file(::openat(fd, std::string(ignore_name_).c_str(),
                         O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info{};
  if (!file || ::fstat(file.get(), &info) != 0) {
    // git does not read an ignore file through a symlink either. But to leave out nothing where
    // .amlignore says what to leave out would be worse than to refuse.
    const bool unread_link = errno == ELOOP && ignore_name_ == kGitIgnore;
    if (errno == ENOENT || unread_link) return;
    folder.refusals.push_back({path, errno == ELOOP ? "is a symlink; ignore rules must be in a file"
                                                    : unreadable(errno)});
    return;
  }
  if (!S_ISREG(info.st_mode)) return;
  std::string text(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    const ssize_t got = ::read(file.get(), text.data() + have, text.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      folder.refusals.push_back({path, got < 0 ? unreadable(errno) : "changed while it was read"});
      return;
    }
    have += static_cast<std::size_t>(got);
  }
  folder.rules = hash_rules(text);
  folder.scope = std::make_shared<IgnoreScope>(folder.scope, folder.path, text);
}

bool FolderReader::wanted(WalkedFolder& folder, Name& name, int fd) {
  path_ = folder.path;
  path_ += name.view();
  if (name.type == DT_UNKNOWN) {  // some file systems do not tell it in the listing
    struct stat info{};
    if (!look(folder, name, fd, info)) return false;
    name.type = static_cast<unsigned char>(IFTODT(info.st_mode));
  }
  if (is_ignored(folder.scope.get(), path_, name.type == DT_DIR)) return false;
  std::string_view reason;
  if (!is_ascii(name.view()) && !is_utf8(name.view())) reason = "has a name that is not UTF-8";
  if (path_.size() >= kLongestPath) reason = "has too long a path";
  if (name.type != DT_REG && name.type != DT_DIR && name.type != DT_LNK) {
    reason = type_reason(name.type);
  }
  if (!reason.empty()) folder.refusals.push_back({path_, std::string(reason)});
  return reason.empty();
}

// False if the entry is gone (no matter) or cannot be looked at (refused).
bool FolderReader::look(WalkedFolder& folder, const Name& name, int fd, struct stat& info) {
  if (::fstatat(fd, name.text, &info, AT_SYMLINK_NOFOLLOW) == 0) return true;
  if (errno != ENOENT) {
    folder.refusals.push_back({join(folder.path, name.view()), unreadable(errno)});
  }
  return false;
}

FolderReader::Name FolderReader::cached_name(const StatCache::Record& record) const {
  const std::string_view name = cache_.name(record);
  return {name.data(), record.name_size, static_cast<unsigned char>(IFTODT(record.stamp.mode))};
}

void FolderReader::add_child(WalkedFolder& folder, std::string_view name,
                             std::optional<std::size_t> cached) {
  auto child = std::make_unique<WalkedFolder>();
  child->path = join(folder.path, name, "/");
  child->scope = folder.scope;
  child->cached = cached;
  child->same_rules = folder.same_rules;
  folder.children.push_back({folder.entries.size(), std::move(child)});
}

void FolderReader::add_file(WalkedFolder& folder, std::string_view name, const struct stat& info,
                            const StatCache::Record* before) {
  FileStamp& stamp = folder.stamps.emplace_back(stamp_of(info));
  ManifestEntry& entry = folder.entries.emplace_back();
  entry.path = join(folder.path, name);
  entry.kind = (info.st_mode & S_IXUSR) != 0 ? EntryKind::kExecutable : EntryKind::kFile;
  if (before != nullptr && before->stamp == stamp) entry.digest = before->hex_digest();
}

void FolderReader::add_symlink(WalkedFolder& folder, const Name& name, int fd) {
  char target[kLongestPath + 1];
  const ssize_t size = ::readlinkat(fd, name.text, target, sizeof target);
  if (size < 0 && errno == ENOENT) return;
  std::string path = join(folder.path, name.view());
  const std::string_view text(target, static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  if (size < 0 || !is_utf8(text)) {
    folder.refusals.push_back(
        {std::move(path), size < 0 ? unreadable(errno) : "is a symlink whose target is not UTF-8"});
    return;
  }
  folder.entries.push_back({std::move(path), EntryKind::kSymlink, 0, "", std::string(text)});
  folder.stamps.emplace_back();
}

}  // namespace roost
