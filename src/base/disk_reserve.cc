#include "base/disk_reserve.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>

#include "base/files.h"

namespace roost {
namespace {

constexpr std::uint64_t kMegabyte = 1 << 20;
constexpr std::uint64_t kPieces = 8;

}  // namespace

std::optional<DiskSpace> disk_space(const std::filesystem::path& folder) {
  struct statvfs info {};
  if (::statvfs(folder.c_str(), &info) != 0) return std::nullopt;
  return DiskSpace{info.f_blocks * info.f_frsize, info.f_bavail * info.f_frsize};
}

DiskReserve::DiskReserve(std::filesystem::path file, std::uint64_t wanted)
    : DiskReserve(file, wanted, [folder = file.parent_path()] { return disk_space(folder); }) {}

DiskReserve::DiskReserve(std::filesystem::path file, std::uint64_t wanted, LookAtDisk look)
    : file_(std::move(file)), look_(std::move(look)) {
  if (const auto space = look_()) wanted_ = std::min(wanted, space->total / 100);
  struct stat info {};
  if (::stat(file_.c_str(), &info) == 0) held_ = static_cast<std::uint64_t>(info.st_size);
  // Someone chose a smaller one meanwhile.
  if (held_ > wanted_) resize_to(wanted_);
}

std::uint64_t DiskReserve::low() const { return std::min(4 * kMegabyte, wanted_ / kPieces); }

bool DiskReserve::lend() {
  if (wanted_ == 0) return false;
  const auto space = look_();
  if (!space || space->free >= low()) return false;
  return release();
}

bool DiskReserve::release() {
  const std::lock_guard lock(mutex_);
  return cut();
}

bool DiskReserve::cut() {
  if (held_ == 0) return false;
  const std::uint64_t before = held_;
  resize_to(held_ - std::min(held_, std::max<std::uint64_t>(wanted_ / kPieces, 1)));
  return held_ < before;
}

void DiskReserve::tend() {
  const std::lock_guard lock(mutex_);
  if (held_ >= wanted_) return;
  const auto space = look_();
  const std::uint64_t spare = 2 * low();
  if (!space || space->free <= spare) return;
  resize_to(held_ + std::min(wanted_ - held_, space->free - spare));
}

std::uint64_t DiskReserve::held() const {
  const std::lock_guard lock(mutex_);
  return held_;
}

std::uint64_t DiskReserve::wanted() const { return wanted_; }

void DiskReserve::resize_to(std::uint64_t size) {
  const Fd fd(::open(file_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return;
  // What was taken before someone else was quicker is kept: the next look takes the rest.
  if (size < held_) {
    (void)!::ftruncate(fd.get(), static_cast<off_t>(size));
  } else if (::posix_fallocate(fd.get(), static_cast<off_t>(held_), static_cast<off_t>(size - held_)) != 0) {
    (void)!::ftruncate(fd.get(), static_cast<off_t>(held_));
  }
  struct stat info {};
  if (::fstat(fd.get(), &info) == 0) held_ = static_cast<std::uint64_t>(info.st_size);
}

}  // namespace roost
