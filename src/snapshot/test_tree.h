#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <time.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "base/digest.h"
#include "base/files.h"
#include "snapshot/stat_cache.h"

namespace roost {

// A temporary folder with shorthands to fill it, for tests.
class TestTree {
 public:
  TestTree() : path_(std::filesystem::path(testing::TempDir()) / ("tree-" + random_hex(6))) {
    std::filesystem::create_directories(path_);
  }
  ~TestTree() { (void)remove_tree(path_); }
  TestTree(const TestTree&) = delete;
  TestTree& operator=(const TestTree&) = delete;

  std::filesystem::path path(const std::string& relative = "") const {
    return relative.empty() ? path_ : path_ / relative;
  }

  void write(const std::string& relative, const std::string& content) const {
    std::filesystem::create_directories((path_ / relative).parent_path());
    std::ofstream(path_ / relative, std::ios::binary) << content;
  }
  void folder(const std::string& relative) const {
    std::filesystem::create_directories(path_ / relative);
  }
  void symlink(const std::string& relative, const std::string& target) const {
    std::filesystem::create_directories((path_ / relative).parent_path());
    std::filesystem::create_symlink(target, path_ / relative);
  }
  void executable(const std::string& relative) const {
    ASSERT_EQ(::chmod((path_ / relative).c_str(), 0755), 0);
  }

  // Waits for the file system's clock to tick, a few milliseconds: what was written before is then
  // older than a scan that starts now.
  static void settle() {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    while (file_clock() <= now.tv_sec * 1'000'000'000 + now.tv_nsec) {
    }
  }

  // Every entry below the folder: what it is and what it holds.
  std::map<std::string, std::string> content() const {
    std::map<std::string, std::string> out;
    for (const auto& item : std::filesystem::recursive_directory_iterator(path_)) {
      const std::string name = item.path().lexically_relative(path_).string();
      struct stat info{};
      EXPECT_EQ(::lstat(item.path().c_str(), &info), 0);
      if (item.is_symlink()) {
        out[name] = "-> " + std::filesystem::read_symlink(item.path()).string();
      } else if (item.is_directory()) {
        out[name] = "folder";
      } else {
        out[name] = ((info.st_mode & 0777) == 0755 ? "x " : "- ") + read_file(item.path()).value();
      }
    }
    return out;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace roost
