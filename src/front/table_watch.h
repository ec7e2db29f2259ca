#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>

#include "front/routing_table.h"

namespace roost {

// Reads the routing table, and again whenever the file is another one. A file that is missing or wrong is told to the log,
// once, and changes nothing.
class TableWatch {
 public:
  using Changed = std::function<void(RoutingTable)>;
  // `changed` is called before this returns if there is a table, and on a thread of its own afterwards.
  TableWatch(std::filesystem::path file, Changed changed,
             std::chrono::milliseconds every = std::chrono::milliseconds(50));
  ~TableWatch();

 private:
  void look();

  const std::filesystem::path file_;
  const Changed changed_;
  std::string seen_;      // what tells this file from the one before
  std::string told_;      // the last complaint
  std::jthread thread_;
};

}  // namespace roost
