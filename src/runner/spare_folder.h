#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace roost {

// Folders of a run that has ended, kept for the next one of the same node. Making and removing the same few folders for
// each run is most of the work of a small one: a file system without a journal looks long for a free inode after many
// were freed. Only the usual folders are kept, empty and as if they were new, and the file of its output, as empty:
// whatever else a run has left makes that all is removed. They go to a run of the same user only: a process that a run
// has handed one of them to, open, must not see what another user does there. For one thread.
class SpareFolder {
 public:
  // `place` is where it is kept, on the file system of the runs. Reads the umask of the process, so that no other
  // thread may run yet.
  explicit SpareFolder(std::filesystem::path place);

  // Makes it the folder of a run of `user`; does nothing if there is none. `folder` must not exist, its parent must.
  void give(const std::filesystem::path& folder, const std::string& user);
  // Keeps the folder of a run of `user` that has ended, of which no process is left. False if it is not fit to be kept;
  // it is still there then, maybe without some of its files.
  bool take(const std::filesystem::path& folder, const std::string& user);

 private:
  bool clear(int fd, const std::string& path);

  const std::filesystem::path place_;
  const mode_t mode_;
  std::string user_;  // whose it was; "" if there is none
};

}  // namespace roost
