#pragma once

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>

#include "runner/collect_outputs.h"
#include "runner/server_link.h"

namespace roost {

// Sends what a run writes to ./outputs while it runs, every few seconds and once a file has settled, so
// that the next attempt can go on from the last checkpoint when this node is lost. Whatever goes wrong
// here is tried again; the outputs that count are collected at the end.
class OutputKeeper {
 public:
  // `path` is where the server takes them, e.g. "/attempts/RUN/1/outputs"; `root` holds ./outputs.
  OutputKeeper(const std::string& server_file, const std::string& token, std::string path,
               std::filesystem::path root, int node_rank);
  ~OutputKeeper() { stop(); }
  // Afterwards known() may be used.
  void stop();
  KnownOutputs& known() { return known_; }

 private:
  void run();
  void keep();

  const std::string path_;
  const std::filesystem::path root_;
  const int node_rank_;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  ServerLink server_;
  KnownOutputs known_;
  std::thread thread_;
};

}  // namespace roost
