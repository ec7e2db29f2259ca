#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>

#include "base/result.h"

namespace roost {

struct DiskSpace {
  std::uint64_t total = 0;
  std::uint64_t free = 0;  // for a plain user
};
// Of the disk that `folder` is on.
std::optional<DiskSpace> disk_space(const std::filesystem::path& folder);

// Space kept aside on a disk for what must go on when everything else has filled it: records of runs that end, a
// cancel, garbage collection. It is a file of real blocks. On a full disk lend() cuts a piece off it just before it is
// needed, so that others hardly get at it; tend() makes it whole again as space comes back. It survives a restart: the
// next server finds space although the disk is full. Thread-safe.
class DiskReserve {
 public:
  using LookAtDisk = std::function<std::optional<DiskSpace>()>;

  // Keeps `wanted` bytes in `file`, but never more than 1 % of the disk. Takes nothing yet.
  DiskReserve(std::filesystem::path file, std::uint64_t wanted);
  DiskReserve(std::filesystem::path file, std::uint64_t wanted, LookAtDisk look);

  // Call it before writing a little. True if a piece was given back because the disk is nearly full.
  bool lend();
  // The disk was full after all: a piece is given back whatever the disk says. False if nothing is left.
  bool release();
  // Call it now and then: takes what is missing as far as the disk has space to spare.
  void tend();

  std::uint64_t held() const;    // bytes in the file now
  std::uint64_t wanted() const;  // bytes when it is whole

 private:
  std::uint64_t low() const;
  bool cut();
  void resize_to(std::uint64_t size);

  const std::filesystem::path file_;
  const LookAtDisk look_;
  std::uint64_t wanted_ = 0;
  mutable std::mutex mutex_;
  std::uint64_t held_ = 0;
};

}  // namespace roost
