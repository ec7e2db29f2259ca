#include "domain/traceback.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace roost {
namespace {

constexpr std::string_view kStart = "Traceback (most recent call last):";
constexpr std::size_t kMostLines = 60;
constexpr std::size_t kMostMessageLines = 20;

// With what launchers, schedulers and loggers begin a line of theirs that comes after a traceback.
constexpr std::array kOthersLines = {"Traceback (most recent", "Abort(",    "application called MPI_Abort(",
                                     "mpirun",                 "mpiexec",   "srun:",
                                     "slurmstepd:",            "prterun",   "Primary job",
                                     "INFO",                   "WARNING",   "ERROR",
                                     "DEBUG",                  "CRITICAL",  "Fatal Python error: ",
                                     "====",                   "----",      "terminate called after throwing"};

// What torch.distributed, NCCL, gloo, Horovod and MPI print in a process whose peer went away.
constexpr std::array kSecondary = {
    "connection reset by peer", "connection closed by peer", "connection refused", "broken pipe",
    "socket closed", "socket timeout", "remote process exited", "peer closed", "recvbytes failed",
    "sendbytes failed", "failed to recv", "failed to send", "read error [", "write error [",
    "connection was likely closed", "connectfullmesh failed", "gloo::enforcenotmet", "ncclremoteerror",
    "ncclsystemerror", "ncclinternalerror", "nccl communicator was aborted", "nccl error",
    "horovod has been shut down", "horovodinternalerror", "horovod background loop uncaught",
    "rendezvousconnectionerror", "rendezvousclosederror", "diststoreerror", "distnetworkerror: the client socket",
    "distbackenderror", "sigtermexception", "signalexception: process", "mpi_err_proc_failed",
    "mpi_err_other", "connection aborted"};
constexpr std::array kTimeouts = {"timed out", "timeout", "watchdog caught collective", "waited in vain"};

// "[rank3]: text" of newer PyTorch, "[1,3]<stderr>:text" of mpirun.
std::string_view without_prefix(std::string_view line) {
  const std::size_t end = line.find("]: ");
  if (line.starts_with("[rank") && end != std::string_view::npos) return line.substr(end + 3);
  const std::size_t tag = line.find(">:");
  if (line.starts_with("[1,") && tag != std::string_view::npos) return line.substr(tag + 2);
  return line;
}

std::vector<std::string> lines_of(std::string_view output) {
  std::vector<std::string> lines = split(to_utf8(output), '\n');
  for (auto& line : lines) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    line = std::string(without_prefix(line)).substr(0, 1000);
  }
  return lines;
}

bool is_indented(const std::string& line) { return line.empty() || line[0] == ' ' || line[0] == '\t'; }

// Whether a line goes on with the message of an exception. Nothing marks where a message ends: what a script prints
// after its traceback looks the same, which is why only so many lines are taken.
bool goes_on(const std::vector<std::string>& lines, std::size_t at) {
  const std::string& line = lines[at];
  if (line.empty()) return at + 1 < lines.size() && !lines[at + 1].empty() && is_indented(lines[at + 1]);
  const bool dated = line.size() > 4 && std::all_of(line.begin(), line.begin() + 4, [](char c) { return c >= '0' && c <= '9'; }) &&
                     (line[4] == '-' || line[4] == '/');
  const bool of_glog = line.size() > 5 && std::string_view("IWEF").find(line[0]) != std::string_view::npos &&
                       std::all_of(line.begin() + 1, line.begin() + 5, [](char c) { return c >= '0' && c <= '9'; });
  return !dated && !of_glog && std::none_of(kOthersLines.begin(), kOthersLines.end(), [&](const char* start) { return line.starts_with(start); });
}

Traceback python_traceback(const std::vector<std::string>& lines, std::size_t start) {
  Traceback found;
  std::size_t at = start + 1;
  while (at < lines.size() && is_indented(lines[at])) ++at;
  // "ExceptionGroup" lines carry bars; everything else names the exception here.
  for (std::size_t i = start; i <= at && i < lines.size(); ++i) found.lines.push_back(lines[i]);
  if (at < lines.size()) found.exception = lines[at];
  const std::size_t last = std::min(lines.size(), at + kMostMessageLines);
  for (std::size_t i = at + 1; i < last && goes_on(lines, i); ++i) {
    found.lines.push_back(lines[i]);
    found.exception += "\n" + lines[i];
  }
  if (found.lines.size() > kMostLines) {
    found.lines.erase(found.lines.begin() + 1, found.lines.end() - static_cast<long>(kMostLines));
  }
  return found;
}

Traceback fatal_error(const std::vector<std::string>& lines, std::size_t start) {
  Traceback found;
  found.exception = lines[start];
  for (std::size_t i = start; i < lines.size() && found.lines.size() < kMostLines; ++i) {
    if (i > start && lines[i].starts_with("Extension modules:")) break;
    found.lines.push_back(lines[i]);
  }
  while (!found.lines.empty() && found.lines.back().empty()) found.lines.pop_back();
  return found;
}

Traceback uncaught(const std::vector<std::string>& lines, std::size_t start) {
  Traceback found{lines[start], {lines[start]}};
  if (start + 1 < lines.size() && trim(lines[start + 1]).starts_with("what():")) {
    found.lines.push_back(lines[start + 1]);
    found.exception += ": " + std::string(trim(lines[start + 1]).substr(7));
  }
  return found;
}

// What begins at that line, if anything does.
std::optional<Traceback> traceback_at(const std::vector<std::string>& lines, std::size_t i) {
  if (lines[i] == kStart) {
    Traceback found = python_traceback(lines, i);
    if (!found.exception.empty()) return found;
  } else if (lines[i].starts_with("Fatal Python error: ")) {
    return fatal_error(lines, i);
  } else if (lines[i].starts_with("terminate called after throwing")) {
    return uncaught(lines, i);
  }
  return std::nullopt;
}

template <std::size_t N>
bool has_one(std::string_view text, const std::array<const char*, N>& words) {
  const std::string folded = lower(text);
  return std::any_of(words.begin(), words.end(),
                     [&](const char* word) { return folded.find(word) != std::string::npos; });
}

}  // namespace

std::optional<Traceback> last_traceback(std::string_view output) { return last_traceback(lines_of(output)); }

std::optional<Traceback> last_traceback(const std::vector<std::string>& lines) {
  std::optional<Traceback> abort;  // what led to it, if anything, stands before it
  for (std::size_t i = lines.size(); i-- > 0;) {
    if (auto found = traceback_at(lines, i)) return found;
    if (!abort && lines[i].find("application called MPI_Abort(") != std::string::npos) {
      abort = Traceback{lines[i], {lines[i]}};
    }
  }
  return abort;
}

std::vector<Traceback> all_tracebacks(const std::vector<std::string>& lines) {
  std::vector<Traceback> all;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (auto found = traceback_at(lines, i)) all.push_back(std::move(*found));
  }
  return all;
}

std::string advice_on(std::string_view exception) {
  const auto lacks = [&](std::string_view module) {
    const std::string quoted = "No module named '" + std::string(module);
    const std::size_t at = exception.find(quoted);
    const char next = at == std::string_view::npos || at + quoted.size() >= exception.size() ? 0 : exception[at + quoted.size()];
    return next == '\'' || next == '.';
  };
  if (lacks("horovod")) {
    return "the run's environment lacks Horovod; add the pip package horovod to it (built with "
           "HOROVOD_WITH_PYTORCH=1), or choose an environment that has it";
  }
  if (exception.find("Extension horovod.") != std::string_view::npos) {
    return "Horovod in the run's environment was built without this framework; build it again with "
           "HOROVOD_WITH_PYTORCH=1 after PyTorch was installed";
  }
  if (lacks("mpi4py")) {
    return "the run's environment lacks mpi4py; add the pip or conda package mpi4py to it, or choose an environment that "
           "has it";
  }
  return "";
}

std::string heading_of(std::string_view exception) {
  const std::string_view first = trim(exception.substr(0, exception.find('\n')));
  return std::string(first.ends_with(':') && first.find(' ') == std::string_view::npos ? exception : first);
}

bool is_secondary(std::string_view error) { return has_one(error, kSecondary) || is_timeout(error); }
bool is_timeout(std::string_view error) { return has_one(error, kTimeouts); }

}  // namespace roost
