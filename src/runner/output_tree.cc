#include "runner/output_tree.h"

#include <fcntl.h>

#include <algorithm>
#include <cstring>

#include "base/open_beneath.h"
#include "base/tree_beneath.h"
#include "domain/names.h"

namespace roost {
namespace {

constexpr const char* kFolder = "outputs";
constexpr std::size_t kMostOutputs = 1'000'000;  // the server takes no more

}  // namespace

OutputTree::OutputTree(std::string root, std::optional<timespec> launched)
    : root_path_(std::move(root)),
      root_(::open(root_path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)),
      launched_(launched) {}

void OutputTree::take_link(const std::string& path, std::vector<FoundOutput>& found, Notices& notices) const {
  const std::string real = resolve_beneath(root_.get(), root_path_, path);
  if (real.empty()) return notices.add(path, "is not kept: it is a link that leads out of the run's folder or nowhere");
  struct stat info {};
  const Fd target = open_beneath(root_.get(), real, O_PATH);
  if (!target || ::fstat(target.get(), &info) != 0) return;
  if (S_ISREG(info.st_mode)) {
    found.push_back({path, real, info});
  } else {
    notices.add(path, S_ISDIR(info.st_mode) ? "is not kept: it is a link to a folder" : "is not kept: it is no file");
  }
}

void OutputTree::find_of_mlflow(TreeVisitor visitor) const {
  const auto each = std::move(visitor.each);
  visitor.each = [&](const std::string& path, const struct stat& info) {
    const timespec& changed = info.st_ctim;
    const bool is_new = changed.tv_sec != launched_->tv_sec ? changed.tv_sec > launched_->tv_sec
                                                            : changed.tv_nsec > launched_->tv_nsec;
    if (is_new) each(path, info);
  };
  walk_beneath(root_.get(), kMlflowFolder, visitor);
  struct stat info {};
  const bool is_there = ::fstatat(root_.get(), kMlflowDatabase, &info, AT_SYMLINK_NOFOLLOW) == 0;
  if (is_there && S_ISREG(info.st_mode)) visitor.each(kMlflowDatabase, info);
}

std::vector<FoundOutput> OutputTree::find(Notices& notices) const {
  std::vector<FoundOutput> found;
  TreeVisitor visitor;
  visitor.each = [&](const std::string& path, const struct stat& info) {
    if (!check_artifact_path(path)) {
      return notices.add(path, "is not kept: its name is too long, or no text without control characters");
    }
    if (S_ISREG(info.st_mode)) {
      found.push_back({path, path, info});
    } else if (S_ISLNK(info.st_mode)) {
      take_link(path, found, notices);
    } else {
      notices.add(path, "is not kept: it is no regular file");
    }
  };
  visitor.unreadable = [&](const std::string& path, int error) {
    notices.add(path, std::string("cannot be looked into: ") + std::strerror(error));
  };
  walk_beneath(root_.get(), kFolder, visitor);
  if (launched_) find_of_mlflow(visitor);
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  for (; found.size() > kMostOutputs; found.pop_back()) {
    notices.add(found.back().path, "is not kept: a run has at most 1,000,000 output files");
  }
  return found;
}

}  // namespace roost
