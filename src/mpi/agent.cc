#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "mpi/files.h"
#include "mpi/programs.h"

namespace roost::mpi {
namespace {

constexpr int kLookMillis = 1000;  // in case an event was missed

// Waits for the file and answers the number in it.
int await_number(const std::string& folder, const std::string& path) {
  const int events = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  ::inotify_add_watch(events, folder.c_str(), IN_MOVED_TO);
  for (;;) {
    if (const auto text = read_file(path)) return std::atoi(text->c_str());
    pollfd wait{events, POLLIN, 0};
    ::poll(&wait, 1, kLookMillis);
    char buffer[4096];
    while (::read(events, buffer, sizeof buffer) > 0) {
    }
  }
}

}  // namespace

int agent(const std::vector<std::string>& arguments) {
  std::size_t at = 0;
  while (at < arguments.size() && arguments[at].rfind('-', 0) == 0) ++at;  // ssh's own options, such as -x
  if (at + 1 >= arguments.size()) {
    std::fprintf(stderr, "usage: roost-mpi-agent HOST COMMAND...\n");
    return 2;
  }
  const std::string host = arguments[at];
  std::string command;  // as ssh does it: one text for the shell over there
  for (++at; at < arguments.size(); ++at) command += (command.empty() ? "" : " ") + arguments[at];
  if (const char* own = std::getenv("ROOST_NODE"); own && host == own) {
    ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    std::perror("roost: start /bin/sh");
    return 127;
  }
  const std::string folder = node_folder();
  if (host.find('/') != std::string::npos || !write_file(folder + "/ask-" + host, command)) {
    std::fprintf(stderr, "roost: cannot ask for a command on %s\n", host.c_str());
    return 255;
  }
  return await_number(folder, folder + "/done-" + host);
}

}  // namespace roost::mpi
