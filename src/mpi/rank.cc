#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "mpi/files.h"
#include "mpi/programs.h"

extern char** environ;

namespace roost::mpi {
namespace {

// What MPI itself sets for a rank; all else is as the runner of this node wants it.
bool is_of_mpi(const std::string& name) {
  for (const char* prefix : {"OMPI_", "OPAL_", "ORTE_", "PRTE_", "PMIX_", "PMI_", "MPI_", "MPIR_", "MPIEXEC_", "HYDRA_",
                             "HYDI_", "HYD_", "I_MPI_", "LD_LIBRARY_PATH"}) {
    if (name.rfind(prefix, 0) == 0) return true;
  }
  return false;
}

// Set for mpirun and its daemons by the runner, not meant for the script; under hydra the folder would be that of
// another node.
bool is_of_daemon(const std::string& variable) {
  for (const char* name : {"TMPDIR=", "ROOST_MPI_FOLDER=", "HWLOC_COMPONENTS=", "HWLOC_PLUGINS_BLACKLIST="}) {
    if (variable.rfind(name, 0) == 0) return true;
  }
  return false;
}

std::vector<std::string> environment_of_rank(const std::string& file) {
  std::map<std::string, std::string> all;
  const auto add = [&](const std::string& variable, bool only_new) {
    const std::string name = variable.substr(0, variable.find('='));
    if (!only_new || !all.count(name) || is_of_mpi(name)) all[name] = variable;
  };
  for (const auto& variable : split_nul(file)) add(variable, false);
  for (char** entry = environ; *entry; ++entry) {
    const std::string variable = *entry;
    if (!is_of_daemon(variable)) add(variable, true);
  }
  std::vector<std::string> list;
  for (const auto& [name, variable] : all) list.push_back(variable);
  return list;
}

int own_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
    if (const char* value = std::getenv(name)) return std::atoi(value);
  }
  return -1;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (auto& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

// Starts the program with its output in the log. Answers its pid; 0 and errno if it cannot be started.
pid_t start_program(std::vector<std::string>& program, std::vector<std::string>& environment, int log) {
  int launch[2];
  if (::pipe2(launch, O_CLOEXEC) != 0) return 0;
  auto argv = pointers(program);
  auto envp = pointers(environment);
  const pid_t pid = ::fork();
  if (pid < 0) return 0;
  if (pid == 0) {
    ::setpgid(0, 0);  // what mpirun signals reaches it once, by this program
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    environ = envp.data();
    // mpirun would start it where it was started itself, which may be on another machine.
    if (const char* code = ::getenv("ROOST_MPI_CODE"); code && ::chdir(code) != 0) std::perror("roost: the code's folder");
    if (::dup2(log, 1) >= 0 && ::dup2(log, 2) >= 0) ::execvp(argv[0], argv.data());
    const int error = errno;
    if (::write(launch[1], &error, sizeof error) < 0) ::_exit(126);
    ::_exit(127);
  }
  ::close(launch[1]);
  int error = 0;
  const bool failed = ::read(launch[0], &error, sizeof error) == sizeof error;
  ::close(launch[0]);
  if (!failed) return pid;
  ::waitpid(pid, nullptr, 0);
  errno = error;
  return 0;
}

// Waits for the program. Signals of mpirun's daemon are passed on; those of the supervisor reach the
// program anyway.
int wait_for(pid_t pid, const sigset_t& watched) {
  for (;;) {
    int status = 0;
    if (::waitpid(pid, &status, WNOHANG) == pid) return status;
    siginfo_t info{};
    const int signal = ::sigwaitinfo(&watched, &info);
    if (signal > 0 && signal != SIGCHLD && info.si_pid == ::getppid()) ::kill(-pid, signal);
  }
}

// Ends as the program did, so that mpirun draws the same conclusion.
int end_like(int status) {
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  const int signal = WTERMSIG(status);
  ::signal(signal, SIG_DFL);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  ::sigprocmask(SIG_UNBLOCK, &one, nullptr);
  ::raise(signal);
  return 128 + signal;
}

}  // namespace

int rank(bool alone) {
  const std::string folder = node_folder();
  const int number = alone ? 0 : own_rank();
  const std::string stem = folder + "/rank-" + std::to_string(number);
  const auto words = read_file(stem + ".program");
  const auto variables = read_file(stem + ".environment");
  const int log = ::open((stem + ".log").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (!words || !variables || log < 0) {
    const std::string why = "mpirun started rank " + std::to_string(number) + " on a node that was not meant for it";
    std::fprintf(stderr, "roost: %s\n", why.c_str());
    write_file(folder + "/failure", why);
    return 1;
  }
  sigset_t watched;
  sigemptyset(&watched);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) sigaddset(&watched, signal);
  ::sigprocmask(SIG_BLOCK, &watched, nullptr);

  std::vector<std::string> program = split_nul(*words);
  std::vector<std::string> environment = environment_of_rank(*variables);
  environment.push_back("ROOST_MPI_END=" + stem + ".end");  // for whoever knows that he fails before he ends
  write_file(stem + ".started", "");
  const pid_t pid = start_program(program, environment, log);
  if (pid == 0) {
    const int error = errno;
    std::fprintf(stderr, "roost: rank %d: start %s: %s\n", number, program[0].c_str(), std::strerror(error));
    write_file(stem + ".end", "launch " + std::to_string(error) + " " + std::to_string(now_micros()) + "\n");
    return 127;
  }
  const int status = wait_for(pid, watched);
  const bool by_signal = WIFSIGNALED(status);
  if (read_file(stem + ".end")) return end_like(status);  // said before
  write_file(stem + ".end", std::string(by_signal ? "signal " : "exit ") +
                                std::to_string(by_signal ? WTERMSIG(status) : WEXITSTATUS(status)) + " " +
                                std::to_string(now_micros()) + "\n");
  return end_like(status);
}

}  // namespace roost::mpi
