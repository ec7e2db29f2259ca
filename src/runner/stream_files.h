#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "runner/server_link.h"

namespace roost {

// Ships what a run writes, by offset, so that any repetition is harmless: its output, every file
// below ./logs, and its spool files. The files stay on disk until the run has been finished.
class StreamFiles {
 public:
  // `path` below the run on the server, e.g. "/attempts/RUN/1/streams".
  StreamFiles(std::string path) : path_(std::move(path)) {}

  void add_file(const std::string& stream, const std::filesystem::path& file);
  // Follows every file that appears below `folder`, as `prefix` + its relative path.
  void add_folder(const std::string& prefix, const std::filesystem::path& folder, bool spool);

  struct Shipped {
    std::uint64_t bytes = 0;
    bool more = false;  // stopped at the size of one request; call again at once
  };
  // One request with what is new now; nothing is sent if nothing is. An error leaves all as it was.
  Result<Shipped> ship(ServerLink& server);

  // How long each stream is now: what the server must have before the run may end.
  std::map<std::string, std::uint64_t> lengths();

 private:
  struct Followed {
    std::filesystem::path file;
    bool spool = false;
    std::uint64_t sent = 0;
    std::filesystem::path root;  // no link below it is followed; empty: none at the end of the path
  };
  struct Folder {
    std::string prefix;
    std::filesystem::path folder;
    bool spool = false;
  };
  void look_for_files();

  std::string path_;
  std::map<std::string, Followed> followed_;
  std::vector<Folder> folders_;
};

// Bytes of a followed file from `offset`, at most `limit`. Of a spool file only whole lines, and
// nothing from the first NUL on, which stands for what has not been written yet.
std::string new_bytes(const std::filesystem::path& file, std::uint64_t offset, std::size_t limit,
                      bool spool, const std::filesystem::path& root = {});

}  // namespace roost
