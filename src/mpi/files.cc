#include "mpi/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace roost::mpi {

std::optional<std::string> read_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  std::string text;
  char buffer[16384];
  for (ssize_t got = 0; (got = ::read(fd, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(got));
  ::close(fd);
  return text;
}

bool write_file(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".new";
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return false;
  const bool written = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  return ::close(fd) == 0 && written && std::rename(temporary.c_str(), path.c_str()) == 0;
}

std::vector<std::string> split_nul(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\0', at);
    parts.push_back(text.substr(at, end - at));
    if (end == std::string::npos) break;
    at = end + 1;
  }
  return parts;
}

long long now_micros() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<long long>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1000;
}

std::string node_folder() {
  const std::string name = "ROOST_MPI_FOLDER=";
  const auto above = read_file("/proc/" + std::to_string(::getppid()) + "/environ");
  for (const auto& variable : split_nul(above.value_or(""))) {
    if (variable.compare(0, name.size(), name) == 0) return variable.substr(name.size());
  }
  const char* own = std::getenv("ROOST_MPI_FOLDER");
  return own ? own : "";
}

std::string find_on_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string rest = path ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const std::string candidate = rest.substr(0, colon) + "/" + name;
    struct stat info {};
    if (::stat(candidate.c_str(), &info) == 0 && S_ISREG(info.st_mode) && ::access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
  }
  return "";
}

}  // namespace roost::mpi
