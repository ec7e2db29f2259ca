#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "runner/collect_outputs.h"
#include "runner/output_tree.h"
#include "runner/server_link.h"

namespace roost {

// Sends what a run writes to ./outputs while it runs, every few seconds and once a file has settled, so
// that the next attempt can go on from the last checkpoint when this node is lost. Files of one folder belong together:
// the server is told of a folder until it has taken it as a set (domain/output_sets.h). Whatever goes wrong here
// is tried again; the outputs that count are collected at the end.
class OutputKeeper {
 public:
  // `path` is where the server takes them, e.g. "/attempts/RUN/1/outputs"; `tree` is that of the run. The nodes of a run
  // of several tell the server of each look: what one of them has written must wait for all.
  OutputKeeper(const std::string& server_file, const std::string& data_id, const std::string& token,
               std::string path, OutputTree tree, int node_rank, bool is_one_of_several, const Clock& clock);
  ~OutputKeeper() { stop(); }
  void stop();

  // After stop(): files that the server took, and that are not among `left`.
  std::vector<std::string> removed(const Json& left) const;

 private:
  using Stats = std::map<std::string, struct stat>;  // by path
  struct Sent {
    struct stat info {};
    Json facts;  // path, digest and size
  };
  void run();
  void keep();
  bool has_settled(const FoundOutput& file, std::int64_t now) const;
  // Sends what the server lacks of these; sent_ has it afterwards.
  void send(const std::vector<FoundOutput>& files);
  Json folder_report(const std::string& folder, const Stats& files, std::int64_t now) const;

  const std::string path_;
  const OutputTree tree_;
  const int node_rank_;
  const bool is_one_of_several_;
  const Clock& clock_;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  ServerLink server_;
  std::map<std::string, Stats> looked_;  // by folder, at the last look
  std::map<std::string, Stats> taken_;   // by folder, as it was when the server took it
  std::map<std::string, Sent> sent_;     // by path
  bool is_waiting_ = false;              // the server has not taken all of it
  std::thread thread_;
};

// The folders of collected outputs, as the server is told of them when the processes have ended.
Json ended_folders(const Json& files);

}  // namespace roost
