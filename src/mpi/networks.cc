#include "mpi/networks.h"

#include <dirent.h>
#include <unistd.h>

#include <initializer_list>

namespace roost::mpi {
namespace {

bool has_entries(const char* path) {
  DIR* folder = ::opendir(path);
  if (!folder) return false;
  bool found = false;
  while (const dirent* entry = ::readdir(folder)) found = found || entry->d_name[0] != '.';
  ::closedir(folder);
  return found;
}

}  // namespace

bool has_other_networks() {
  // InfiniBand, RoCE, Omni-Path, EFA and usNIC are all in the first.
  for (const char* folder : {"/sys/class/infiniband", "/sys/class/cxi", "/sys/class/bxi"}) {
    if (has_entries(folder)) return true;
  }
  for (const char* device : {"/dev/kgni0", "/dev/nvidiactl", "/dev/kfd"}) {
    if (::access(device, F_OK) == 0) return true;
  }
  return false;
}

}  // namespace roost::mpi
