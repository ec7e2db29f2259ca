#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "base/files.h"
#include "runner/server_link.h"
#include "runner/spare_folder.h"

namespace roost {

// What is the same for all attempts of one node.
struct NodeSettings {
  std::string node;
  std::string server_file;
  std::string data_id;  // of the server that is believed
  std::filesystem::path folder;  // this node's own
  std::filesystem::path cache;   // shared by the nodes of this machine
  std::filesystem::path sdk;     // for PYTHONPATH
  std::filesystem::path mpi_helper;  // the program roost-mpi
  std::string address = "127.0.0.1";  // by which the other nodes of a run reach this one
  std::string gpus;              // for CUDA_VISIBLE_DEVICES, where an order says nothing of them
  bool machine_has_gpus = false;
  unsigned mask = 022;  // the umask that runs on this machine have, in no image
  bool joined = false;  // on a machine that may share nothing with the server
  std::unique_ptr<SpareFolder> spare;  // for the attempts, one after another
  std::unique_ptr<SpareClient> spare_client = std::make_unique<SpareClient>();  // likewise
  std::function<bool()> is_evicted;  // whoever gave this node takes it back
  std::function<int()> evict_grace;  // seconds that its processes have then
  // inotify; one for all attempts, because closing it takes the kernel 10 ms
  Fd output_watch;
  Fd mpi_watch;  // apart, because what mpirun asks for cannot wait as the output can
};

}  // namespace roost
