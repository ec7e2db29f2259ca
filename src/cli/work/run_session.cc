#include "cli/work/run_session.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "base/files.h"
#include "base/frames.h"
#include "net/router.h"

namespace roost {
namespace {

constexpr std::size_t kPiece = 256 * 1024;
constexpr std::size_t kMostFrame = 1 << 20;
constexpr const char* kBroke = "the connection to the server broke, and the session is over; the run itself goes on";

class SessionPassing {
 public:
  SessionPassing(const ServerAddress& server, std::string path, const SessionEnds& ends)
      : follow_(server), send_(server), path_(std::move(path)), ends_(ends), over_wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    // Taken by poll(2): also a terminal that is closed is left in order.
    sigset_t signals;
    sigemptyset(&signals);
    if (ends.is_terminal) {
      for (const int signal : {SIGWINCH, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
    }
    ::pthread_sigmask(SIG_BLOCK, &signals, &before_);
    signals_.reset(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  ~SessionPassing() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  Result<int> run() {
    std::thread output([this] { take_output(); });
    const int signal = pass_input();
    if (signal != 0) follow_.interrupt();
    output.join();
    if (signal != 0) return 128 + signal;
    if (!end_) return fail(ErrorCode::kUnavailable, broken_.empty() ? kBroke : broken_);
    if (const std::string error = text_at(*end_, "error"); !error.empty()) {
      if (!end_->contains("exit_code")) return fail(ErrorCode::kUnavailable, error);
      (void)write_all(ends_.errors, fmt::format("roost: {}{}", error, ends_.is_terminal ? "\r\n" : "\n"), "standard error");
    }
    if (end_->contains("signal")) return 128 + static_cast<int>(integer_at(*end_, "signal"));
    return static_cast<int>(integer_at(*end_, "exit_code"));
  }

 private:
  void take_output() {
    FrameReader frames(kMostFrame);
    ClientRequest request;
    request.target = path_ + "/output";
    request.on_data = [&](std::string_view bytes) {
      const Status taken = frames.feed(bytes, [&](const Frame& frame) { return take_frame(frame); });
      return taken && !end_;
    };
    const auto followed = follow_.send(std::move(request));
    if (!followed && !end_ && followed.error().code != ErrorCode::kUnavailable) broken_ = followed.error().message;
    is_over_ = true;
    ::eventfd_write(over_wake_.get(), 1);
  }

  Status take_frame(const Frame& frame) {
    const std::string kind = text_at(frame.header, "k");
    if (kind == "end") end_ = frame.header;
    if (kind == "out") return write_all(ends_.output, frame.payload, "standard output");
    if (kind == "err") return write_all(ends_.errors, frame.payload, "standard error");
    return {};
  }

  // Answers the signal that ended it, else 0.
  int pass_input() {
    std::string bytes(kPiece, '\0');
    bool is_open = true;
    while (!is_over_) {
      pollfd waits[] = {{over_wake_.get(), POLLIN, 0}, {signals_.get(), POLLIN, 0}, {is_open ? ends_.input : -1, POLLIN, 0}};
      if (::poll(waits, 3, -1) < 0 && errno != EINTR) return 0;
      if (waits[0].revents != 0) return 0;
      std::string frames;
      signalfd_siginfo info{};
      while (::read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
        if (info.ssi_signo != SIGWINCH) return static_cast<int>(info.ssi_signo);
        Json size = terminal_description();
        append_frame(frames, {{"k", "size"}, {"rows", size["rows"]}, {"columns", size["columns"]}}, "");
      }
      if (waits[2].revents != 0) {
        const ssize_t got = ::read(ends_.input, bytes.data(), bytes.size());
        if (got > 0) append_frame(frames, {{"k", "in"}}, std::string_view(bytes.data(), static_cast<std::size_t>(got)));
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) {
          is_open = false;
          append_frame(frames, {{"k", "eof"}}, "");
        }
      }
      if (frames.empty()) continue;
      const auto sent = send_.send_bytes("POST", path_ + "/input", kFramesType, frames);
      // Why is for the other direction to say, which hears of the end as well.
      if (!sent || !flag_at(*sent, "taken")) is_open = false;
    }
    return 0;
  }

  ApiClient follow_;
  ApiClient send_;
  const std::string path_;
  const SessionEnds ends_;
  const Fd over_wake_;
  Fd signals_;
  sigset_t before_{};
  std::atomic<bool> is_over_ = false;
  std::optional<Json> end_;  // of take_output() until that has ended
  std::string broken_;
};

}  // namespace

Result<int> pass_session(const ServerAddress& server, const std::string& run, const Json& ask, const SessionEnds& ends) {
  const std::string path = "/runs/" + percent_encode(run) + "/sessions";
  ApiClient client(server);
  ROOST_TRY(const Json opened, client.post(path, ask));
  return SessionPassing(server, path + "/" + percent_encode(text_at(opened, "id")), ends).run();
}

Json terminal_description() {
  winsize size{};
  if (::ioctl(0, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) {
    size.ws_row = 24;
    size.ws_col = 80;
  }
  const char* type = std::getenv("TERM");
  return {{"rows", size.ws_row}, {"columns", size.ws_col}, {"type", std::string(type ? type : "xterm").substr(0, 100)}};
}

RawTerminal::RawTerminal() {
  termios settings{};
  if (::tcgetattr(0, &settings) != 0) return;
  before_.assign(reinterpret_cast<const char*>(&settings), sizeof settings);
  ::cfmakeraw(&settings);
  ::tcsetattr(0, TCSADRAIN, &settings);
}

RawTerminal::~RawTerminal() {
  if (before_.empty()) return;
  termios settings{};
  std::memcpy(&settings, before_.data(), sizeof settings);
  ::tcsetattr(0, TCSADRAIN, &settings);
}

}  // namespace roost
