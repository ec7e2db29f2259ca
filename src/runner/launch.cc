#include "runner/launch.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/file_limit.h"
#include "confine/namespaces.h"
#include "runner/supervise.h"

namespace roost {
namespace {

constexpr int kReportFd = 3;
constexpr int kFirstOutput = 4;  // the outputs of the processes follow one another from here

// Everything the child needs, made before it exists: after the clone it must not allocate.
struct ChildPlan {
  const char* folder;
  Supervised* programs;
  int count;
  int report;
  int control;
  int error_pipe;
  const ImageRoot* image;
  const HiddenFolders* hidden;
  int landlock;  // rules that hide the same where there is no namespace; -1 if not needed
  const char* host_name;
  const char* hosts;
  unsigned mask;
  bool own_namespace;
  bool own_user;
  IdMaps maps;
  const std::vector<int>* join_groups;
  const cpu_set_t* cpus;  // null: any
};

// Why a child could not be set up. The words are in memory that both have.
struct ChildFailure {
  int error;
  const char* what;
};

[[noreturn]] void fail_child(const ChildPlan& plan, const char* what = nullptr) {
  const ChildFailure failure{errno, what};
  if (::write(plan.error_pipe, &failure, sizeof failure) < 0) ::_exit(126);
  ::_exit(127);
}

[[noreturn]] void run_child(const ChildPlan& plan) {
  // Without a namespace the death of the supervisor would leave its children: it must end them itself.
  ::prctl(PR_SET_PDEATHSIG, plan.own_namespace ? SIGKILL : SIGQUIT);
  for (const int group : *plan.join_groups) {
    if (::write(group, "0", 1) < 0) fail_child(plan, "join its control group");
  }
  // Where the kernel has taken a CPU away meanwhile the run has the others.
  if (plan.cpus) ::sched_setaffinity(0, sizeof *plan.cpus, plan.cpus);
  restore_file_limit();
  // The runner's handlers and mask must not leak into what it starts.
  for (int signal = 1; signal < 32; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (plan.own_namespace && !settle_in_namespaces(plan.own_user ? &plan.maps : nullptr)) fail_child(plan);
  if (plan.host_name && ::sethostname(plan.host_name, std::strlen(plan.host_name)) != 0) fail_child(plan);
  if (plan.hosts && plan.own_namespace && !plan.image) {
    // A machine without that file finds no names in it either.
    const bool bound = ::mount(plan.hosts, "/etc/hosts", nullptr, MS_BIND, nullptr) == 0;
    if (!bound && errno != ENOENT) fail_child(plan, "/etc/hosts");
  }
  const int in = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (in < 0 || ::dup2(in, 0) < 0 || ::dup2(plan.report, kReportFd) < 0) fail_child(plan);
  for (int i = 0; i < plan.count; ++i) {
    if (::dup2(plan.programs[i].output, kFirstOutput + i) < 0) fail_child(plan);
    plan.programs[i].output = kFirstOutput + i;
  }
  const int control = kFirstOutput + plan.count;
  if (::dup2(plan.control, control) < 0) fail_child(plan);
  if (plan.image) {
    if (const char* what = enter_image_root(*plan.image, plan.own_user)) fail_child(plan, what);
  } else if (plan.own_namespace) {
    if (const char* what = cover_folders(*plan.hidden, plan.own_user)) fail_child(plan, what);
  }
  ::prctl(PR_SET_DUMPABLE, 0);  // a copy of the runner: the program must not read its memory
  if (::chdir(plan.folder) != 0) fail_child(plan);
  ::umask(plan.mask);
  if (plan.landlock >= 0 && !enter_landlock(plan.landlock)) fail_child(plan, "be kept out of the data folder");
  // This copy of the runner is the supervisor: a new program would cost milliseconds.
  ::syscall(SYS_close_range, static_cast<unsigned>(control + 1), ~0U, 0);
  for (int fd = kReportFd; fd <= control; ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  const SupervisedAs as{plan.image ? plan.image->user : -1, plan.image ? plan.image->group : -1,
                        !plan.image && !plan.hidden->folders.empty()};
  ::_exit(supervise(kReportFd, plan.programs, plan.count, as, control));
}

// The words of one process in the form that exec wants them.
struct ProcessWords {
  explicit ProcessWords(const LaunchProcess& process) : program(process.program), otherwise(process.otherwise) {
    for (const auto& [name, value] : process.variables) assignments.push_back(name + "=" + value);
    for (auto& word : program) argv.push_back(word.data());
    for (auto& word : otherwise) argv_otherwise.push_back(word.data());
    for (auto& assignment : assignments) environment.push_back(assignment.data());
    argv.push_back(nullptr);
    argv_otherwise.push_back(nullptr);
    environment.push_back(nullptr);
  }
  std::vector<std::string> program;
  std::vector<std::string> otherwise;
  std::vector<std::string> assignments;
  std::vector<char*> argv;
  std::vector<char*> argv_otherwise;
  std::vector<char*> environment;
};

class Launched final : public RunningProcesses {
 public:
  Launched(int pid, Fd pidfd, Fd report, std::shared_ptr<SideStart> sides, bool isolated)
      : pid_(pid), pidfd_(std::move(pidfd)), report_(std::move(report)), sides_(std::move(sides)), isolated_(isolated) {}
  ~Launched() override;

  bool is_isolated() const override { return isolated_; }
  int supervisor() const override { return pid_; }
  std::shared_ptr<SideStart> sides() const override { return sides_; }
  int report_fd() const override { return all_told_ ? pidfd_.get() : report_.get(); }
  void terminate() override;
  void kill() override;
  std::vector<ProcessEnd> take_ends() override;
  bool is_over() override;

 private:
  int pid_;
  Fd pidfd_;
  Fd report_;
  const std::shared_ptr<SideStart> sides_;
  std::string unread_;
  bool all_told_ = false;
  bool isolated_;
};

// A descriptor above those that the child fills.
Fd lifted(const Fd& fd, std::size_t count) {
  return Fd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, kFirstOutput + 8 + static_cast<int>(count)));
}

Launched::~Launched() {
  if (pid_ == 0) return;
  kill();
  ::waitpid(pid_, nullptr, 0);
}

void Launched::terminate() {
  if (pidfd_) ::syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGTERM, nullptr, 0);
}

void Launched::kill() {
  if (pidfd_) ::syscall(SYS_pidfd_send_signal, pidfd_.get(), isolated_ ? SIGKILL : SIGQUIT, nullptr, 0);
}

std::vector<ProcessEnd> Launched::take_ends() {
  char buffer[4096];
  ssize_t got = 0;
  while ((got = ::read(report_.get(), buffer, sizeof buffer)) > 0) {
    unread_.append(buffer, static_cast<std::size_t>(got));
  }
  if (got == 0) all_told_ = true;
  std::vector<ProcessEnd> ends;
  for (std::size_t newline = 0; (newline = unread_.find('\n')) != std::string::npos; unread_.erase(0, newline + 1)) {
    ProcessEnd end;
    char what[16] = {};
    int value = 0;
    long long at = 0;
    if (std::sscanf(unread_.c_str(), "%d %15s %d %lld", &end.index, what, &value, &at) != 4) continue;
    end.at = at;
    if (std::strcmp(what, "exit") == 0) end.exit_code = value;
    if (std::strcmp(what, "signal") == 0) end.signal = value;
    if (std::strcmp(what, "launch") == 0) end.launch_errno = value;
    ends.push_back(end);
  }
  return ends;
}

bool Launched::is_over() {
  if (pid_ != 0 && ::waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = 0;
  return pid_ == 0;
}

}  // namespace

Result<std::unique_ptr<RunningProcesses>> launch_processes(const LaunchSpec& spec) {
  const std::size_t count = spec.processes.size();
  std::vector<std::unique_ptr<ProcessWords>> words;
  std::vector<Fd> outputs;
  std::vector<Supervised> programs;
  for (const auto& process : spec.processes) {
    words.push_back(std::make_unique<ProcessWords>(process));
    const Fd output(::open(process.output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    if (!output) return fail_errno(errno, "open " + process.output.string());
    outputs.push_back(lifted(output, count));
    programs.push_back({words.back()->argv.data(), words.back()->environment.data(), outputs.back().get(),
                        process.otherwise.empty() ? nullptr : words.back()->argv_otherwise.data()});
  }

  int report[2];
  int errors[2];
  if (::pipe2(report, O_CLOEXEC) != 0) return fail_errno(errno, "start the script");
  Fd report_read(report[0]);
  Fd report_write(report[1]);
  if (::pipe2(errors, O_CLOEXEC) != 0) return fail_errno(errno, "start the script");
  Fd errors_read(errors[0]);
  Fd errors_write(errors[1]);
  // The descriptor the child gets must not be one of the few it replaces.
  Fd report_high = lifted(report_write, count);
  report_write.reset();
  Fd errors_high = lifted(errors_write, count);
  int control[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) != 0) return fail_errno(errno, "start the script");
  Fd control_ours(control[0]);
  Fd control_theirs(control[1]);
  Fd control_high = lifted(control_theirs, count);
  control_theirs.reset();

  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  for (const int cpu : spec.cpu_set) {
    if (cpu >= 0 && cpu < CPU_SETSIZE) CPU_SET(cpu, &cpus);
  }
  ChildPlan plan{spec.folder.c_str(),
                 programs.data(),
                 static_cast<int>(count),
                 report_high.get(),
                 control_high.get(),
                 errors_high.get(),
                 spec.image ? &*spec.image : nullptr,
                 &spec.hidden,
                 -1,
                 nullptr,
                 spec.hosts.empty() ? nullptr : spec.hosts.c_str(),
                 spec.mask,
                 true,
                 false,
                 {},
                 &spec.join_groups,
                 spec.cpu_set.empty() ? nullptr : &cpus};

  int started = 0;
  Fd pidfd_of_it;
  Fd landlock;
  std::string problem = "this machine allows no namespaces to its users";
  for (const int namespaces : {CLONE_NEWPID | CLONE_NEWNS, CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS, 0}) {
    // A run in an image has its own file system or none.
    if (namespaces == 0 && spec.image) {
      return fail(ErrorCode::kFailedPrecondition, "the run cannot be started in its image: " + problem);
    }
    if (namespaces == 0 && !spec.hidden.folders.empty()) {
      auto rules = landlock_rules(spec.hidden);
      // Without either the server said at its start what that means.
      if (!rules && rules.error().code != ErrorCode::kUnimplemented) return fail(rules.error());
      if (rules) landlock = lifted(*rules, count);
      plan.landlock = landlock.get();
    }
    int pidfd = -1;
    plan.own_namespace = (namespaces & CLONE_NEWPID) != 0;
    plan.own_user = (namespaces & CLONE_NEWUSER) != 0;
    const bool own_name = plan.own_namespace && !spec.host_name.empty();
    plan.host_name = own_name ? spec.host_name.c_str() : nullptr;
    const auto pid = static_cast<int>(::syscall(
        SYS_clone, CLONE_PIDFD | SIGCHLD | namespaces | (own_name ? CLONE_NEWUTS : 0), nullptr, &pidfd, nullptr,
        nullptr));
    if (pid == 0) run_child(plan);
    if (pid < 0) {
      if (namespaces == 0) return fail_errno(errno, "start the script");
      continue;
    }
    started = pid;
    pidfd_of_it.reset(pidfd);
    // The child closes its end once it is set up, or writes why it could not.
    errors_high.reset();
    errors_write.reset();
    ChildFailure failure{};
    if (::read(errors_read.get(), &failure, sizeof failure) != sizeof failure) break;
    ::waitpid(pid, nullptr, 0);
    if (failure.what) {
      const bool is_path = failure.what[0] == '/';
      problem = errno_error(failure.error, std::string(is_path ? "show it " : "") + failure.what).message;
    }
    if (::pipe2(errors, O_CLOEXEC) != 0) return fail_errno(errno, "start the script");
    errors_read.reset(errors[0]);
    errors_write.reset(errors[1]);
    errors_high = lifted(errors_write, count);
    plan.error_pipe = errors_high.get();
    if (namespaces == 0) return fail_errno(failure.error, "start the script");
  }
  ::fcntl(report_read.get(), F_SETFL, O_NONBLOCK);
  return std::make_unique<Launched>(started, std::move(pidfd_of_it), std::move(report_read),
                                    std::make_shared<SideStart>(std::move(control_ours)), plan.own_namespace);
}

}  // namespace roost
