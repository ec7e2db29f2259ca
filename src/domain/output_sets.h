#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"

namespace roost {

struct OutputFile {
  std::string path;  // "outputs/model.pt"
  std::string digest;
  std::uint64_t size = 0;
};

// Files of one folder below ./outputs that belong together: the parts of a checkpoint, written by one node
// or by several.
struct OutputSet {
  std::string folder;
  std::vector<OutputFile> files;   // where two nodes have the same path, that of the first node
  std::vector<std::string> gone;  // they were there before, and were removed
};

// What a node says of a folder it has written to since that folder was last a set.
struct FolderReport {
  std::string folder;
  Micros rest = 0;       // for so long nothing was written there
  bool settled = false;  // `files` are all that the node has there, and they are on the server
  std::vector<OutputFile> files;
  std::vector<std::string> gone;
};

// Decides when the outputs of an attempt under way are fit to go on from: a folder is taken as a set at a moment at which
// every node of the attempt has looked and found that nothing was written there for long enough. So a set never
// has a part of a checkpoint without the others, unless its writer paused in the middle for longer than that.
//
// Long enough is kAtFirst for one node and kAtFirstOfSeveral for several. Once a folder has been written to four times, it is half of
// the longest of its last pauses if that is less: a script that saves every few seconds never rests for long, but between two checkpoints it rests longer than inside one.
//
// Everything here is by the clock of the server. Not thread-safe.
class OutputSets {
 public:
  static constexpr Micros kAtFirst = 3 * kSecond;
  static constexpr Micros kAtFirstOfSeveral = 10 * kSecond;
  static constexpr Micros kLeast = kSecond;

  explicit OutputSets(int nodes) : nodes_(nodes) {}

  // A node looked at its outputs at `now`; what it does not name it has not changed. `ended`: its processes have
  // ended, and this is its last look. Gives the sets that are whole now.
  std::vector<OutputSet> look(int node_rank, const std::vector<FolderReport>& changed, bool ended, Micros now);

  // Whether what the nodes last said of the folder is a set.
  bool is_set(const std::string& folder) const;

 private:
  struct Folder {
    Micros changed = 0;
    std::deque<Micros> pauses;  // between one write and the next; the last few
    std::map<int, FolderReport> parts;  // by node rank
    bool pending = false;
  };
  void take(Folder& folder, int node_rank, const FolderReport& report, Micros now) const;
  bool is_whole(const Folder& folder) const;
  Micros long_enough(const Folder& folder) const;

  const int nodes_;
  std::map<int, Micros> looked_;  // by node rank
  std::map<std::string, Folder> folders_;
};

}  // namespace roost
