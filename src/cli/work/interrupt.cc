#include "cli/work/interrupt.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cstdint>

namespace roost {

InterruptWatch::InterruptWatch() {
  sigset_t taken;
  sigemptyset(&taken);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&taken, signal);
  pthread_sigmask(SIG_BLOCK, &taken, &before_);
  signals_.reset(signalfd(-1, &taken, SFD_CLOEXEC));
  ending_.reset(eventfd(0, EFD_CLOEXEC));
  if (!signals_ || !ending_) {  // without descriptors the signals act as ever
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    return;
  }
  thread_ = std::thread([this] { watch(); });
}

InterruptWatch::~InterruptWatch() {
  if (thread_.joinable()) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(ending_.get(), &one, sizeof one);
    thread_.join();
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void InterruptWatch::watch() {
  for (;;) {
    pollfd both[2] = {{signals_.get(), POLLIN, 0}, {ending_.get(), POLLIN, 0}};
    if (poll(both, 2, -1) < 0) continue;
    if (both[1].revents != 0) return;
    signalfd_siginfo info{};
    if (read(signals_.get(), &info, sizeof info) != sizeof info) continue;
    const int number = static_cast<int>(info.ssi_signo);
    if (signal_ != 0) _exit(128 + number);
    signal_ = number;
    source_.request_stop();
  }
}

}  // namespace roost
