#include "blobs/partial_uploads.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

namespace fs = std::filesystem;
using std::chrono::steady_clock;

namespace roost {
namespace {

// After so long without a byte nobody waits for an upload any more.
constexpr std::chrono::seconds kSilent{5};

// The first `size` bytes of a file.
Status read_first(int fd, std::uint64_t size, const std::function<Status(std::string_view)>& each) {
  ROOST_TRY(const std::uint64_t got, read_pieces(fd, size, each));
  if (got < size) return fail(ErrorCode::kUnavailable, "an upload became shorter; try again");
  return {};
}

}  // namespace

void PartialUploads::open() {
  for (const auto& name : names_in(folder_)) {
    const std::string digest = name.substr(0, 64);
    struct stat info {};
    if (!is_digest(digest) || ::stat((folder_ / name).c_str(), &info) != 0) continue;
    Entry entry;
    entry.file = folder_ / name;
    entry.size = static_cast<std::uint64_t>(info.st_size);
    entries_[digest].push_back(std::move(entry));
  }
}

PartialUploads::Entry* PartialUploads::find(const PartialUpload& upload) {
  const auto found = entries_.find(upload.digest);
  if (found == entries_.end()) return nullptr;
  for (auto& entry : found->second) {
    if (entry.file == upload.file) return &entry;
  }
  return nullptr;
}

void PartialUploads::erase(const PartialUpload& upload) {
  const auto found = entries_.find(upload.digest);
  if (found == entries_.end()) return;
  found->second.remove_if([&](const Entry& entry) { return entry.file == upload.file; });
  if (found->second.empty()) entries_.erase(found);
}

Result<std::unique_ptr<PartialUpload>> PartialUploads::begin(const std::string& digest,
                                                             std::uint64_t offset) {
  auto upload = std::make_unique<PartialUpload>();
  upload->digest = digest;
  upload->is_resumed = offset > 0;
  bool is_taken_over = false;
  fs::path source;
  {
    const std::lock_guard lock(mutex_);
    auto& entries = entries_[digest];
    Entry* best = nullptr;
    std::uint64_t most = 0;
    for (auto& entry : entries) {
      if (entry.is_suspect) continue;
      most = std::max(most, entry.size);
      if (offset == 0 || entry.size < offset) continue;
      if (!best || (best->is_busy && !entry.is_busy)) best = &entry;
    }
    if (offset > 0 && !best) {
      if (entries.empty()) entries_.erase(digest);
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("{} bytes of blob {} have been received, so the upload must go on there, "
                              "not at {}",
                              most, digest, offset));
    }
    is_taken_over = best && !best->is_busy;
    if (is_taken_over) {
      best->is_busy = true;
      best->moved = steady_clock::now();
      upload->file = best->file;
    } else {
      if (best) source = best->file;
      upload->file = folder_ / fmt::format("{}.{}", digest, random_hex(6));
      Entry entry;
      entry.file = upload->file;
      entry.is_busy = true;
      entry.moved = steady_clock::now();
      entries.push_back(std::move(entry));
    }
  }
  Status ready = is_taken_over ? take_over(*upload, offset) : copy_from(source, *upload, offset);
  if (ready) return upload;
  if (is_taken_over) {
    leave(*upload);
  } else {
    files_.unlink(upload->file);
    const std::lock_guard lock(mutex_);
    erase(*upload);
  }
  return fail(ready.error());
}

Status PartialUploads::take_over(PartialUpload& upload, std::uint64_t offset) {
  upload.fd.reset(files_.open(upload.file, O_RDWR, 0));
  if (!upload.fd && errno == EACCES && ::chmod(upload.file.c_str(), 0600) == 0) {
    upload.fd.reset(files_.open(upload.file, O_RDWR, 0));
  }
  if (!upload.fd) return fail_errno(errno, "go on with an upload");
  ROOST_CHECK(read_first(upload.fd.get(), offset, [&](std::string_view piece) -> Status {
    upload.hash.update(piece);
    return {};
  }));
  if (files_.truncate(upload.fd.get(), static_cast<off_t>(offset)) != 0 ||
      ::lseek(upload.fd.get(), static_cast<off_t>(offset), SEEK_SET) < 0) {
    return fail_errno(errno, "go on with an upload");
  }
  upload.size = offset;
  const std::lock_guard lock(mutex_);
  if (Entry* entry = find(upload)) entry->size = offset;
  return {};
}

Status PartialUploads::copy_from(const fs::path& file, PartialUpload& upload, std::uint64_t offset) {
  // Nobody else writes or reads it before it is whole.
  upload.fd.reset(files_.open(upload.file, O_RDWR | O_CREAT | O_EXCL, 0600));
  if (!upload.fd) return fail_errno(errno, "write a blob");
  if (offset == 0) return {};
  const Fd from(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  // It was finished just now.
  if (!from) return fail(ErrorCode::kUnavailable, "the upload to go on from has ended; try again");
  return read_first(from.get(), offset, [&](std::string_view piece) { return append(upload, piece); });
}

Status PartialUploads::append(PartialUpload& upload, std::string_view bytes) {
  ROOST_CHECK(write_whole(files_, upload.fd.get(), bytes));
  upload.hash.update(bytes);
  upload.size += bytes.size();
  const std::lock_guard lock(mutex_);
  if (Entry* entry = find(upload)) {
    entry->size = upload.size;
    entry->moved = steady_clock::now();
  }
  return {};
}

void PartialUploads::leave(PartialUpload& upload) {
  upload.fd.reset();
  const std::lock_guard lock(mutex_);
  Entry* mine = find(upload);
  if (!mine) return;
  mine->is_busy = false;
  // What was written of a piece that failed is not counted; the next one to go on cuts it off.
  mine->size = upload.size;
  auto& entries = entries_[upload.digest];
  const Entry* best = nullptr;
  for (const auto& entry : entries) {
    if (!entry.is_busy && !entry.is_suspect && (!best || entry.size > best->size)) best = &entry;
  }
  entries.remove_if([&](const Entry& entry) {
    if (entry.is_busy || (&entry == best && entry.size > 0)) return false;
    files_.unlink(entry.file);
    return true;
  });
  if (entries.empty()) entries_.erase(upload.digest);
}

void PartialUploads::finished(PartialUpload& upload) {
  const std::lock_guard lock(mutex_);
  erase(upload);
  const auto found = entries_.find(upload.digest);
  if (found == entries_.end()) return;
  found->second.remove_if([&](const Entry& entry) {
    if (!entry.is_busy) files_.unlink(entry.file);
    return !entry.is_busy;
  });
  if (found->second.empty()) entries_.erase(found);
}

void PartialUploads::drop(PartialUpload& upload) {
  files_.unlink(upload.file);
  const std::lock_guard lock(mutex_);
  erase(upload);
  const auto found = entries_.find(upload.digest);
  if (found == entries_.end() || !upload.is_resumed) return;
  for (auto& entry : found->second) entry.is_suspect = true;
}

PartialUploads::State PartialUploads::state(const std::string& digest) const {
  const std::lock_guard lock(mutex_);
  State state;
  const auto found = entries_.find(digest);
  if (found == entries_.end()) return state;
  const auto now = steady_clock::now();
  for (const auto& entry : found->second) {
    if (entry.is_suspect) continue;
    state.received = std::max(state.received, entry.size);
    if (entry.is_busy && now - entry.moved < kSilent) state.is_active = true;
  }
  return state;
}

std::uint64_t PartialUploads::remove_older(std::int64_t oldest) {
  const std::lock_guard lock(mutex_);
  std::uint64_t bytes = 0;
  for (auto it = entries_.begin(); it != entries_.end();) {
    it->second.remove_if([&](const Entry& entry) {
      struct stat info {};
      if (entry.is_busy) return false;
      if (::stat(entry.file.c_str(), &info) != 0) return true;
      if (info.st_mtim.tv_sec > oldest) return false;
      if (files_.unlink(entry.file) != 0) return false;
      bytes += static_cast<std::uint64_t>(info.st_size);
      return true;
    });
    it = it->second.empty() ? entries_.erase(it) : std::next(it);
  }
  return bytes;
}

}  // namespace roost
