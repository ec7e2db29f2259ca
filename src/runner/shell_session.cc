#include "runner/shell_session.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <thread>

#include <fmt/format.h>

#include "base/frames.h"
#include "base/log.h"
#include "net/router.h"

namespace roost {
namespace {

constexpr std::size_t kPiece = 256 * 1024;
constexpr std::size_t kMostFrame = 1 << 20;
constexpr int kLastWordsMs = 200;  // of what else holds the output, once the program itself has ended

bool wait_for(int fd, short events, int over, int milliseconds) {
  pollfd waits[] = {{fd, events, 0}, {over, POLLIN, 0}};
  return ::poll(waits, 2, milliseconds) > 0 && waits[1].revents == 0;
}

}  // namespace

ShellSession::ShellSession(const NodeSettings& settings, std::string token, Json order, const std::atomic<bool>& stop)
    : settings_(settings),
      order_(std::move(order)),
      stop_(stop),
      in_(settings.server_file, settings.data_id, token, stop),
      out_(settings.server_file, settings.data_id, token, stop),
      over_wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

std::string ShellSession::path(const char* direction) const {
  return fmt::format("/nodes/{}/sessions/{}/{}", percent_encode(settings_.node), percent_encode(text_at(order_, "id")), direction);
}

void ShellSession::run(const SideDoor& door) {
  auto end = ShellEnd::open(order_, door);
  if (!end) {
    send_end({{"error", end.error().message}});
    return;
  }
  std::thread input([&] { take_input(**end); });
  pass_output(**end);
  over_ = true;
  ::eventfd_write(over_wake_.get(), 1);
  {
    const std::lock_guard lock(mutex_);
    if (in_client_) in_client_->interrupt();
  }
  input.join();
}

void ShellSession::pass_output(ShellEnd& end) {
  std::string bytes(kPiece, '\0');
  bool has_ended = false;
  while (!over_ && !stop_) {
    std::vector<pollfd> waits = {{over_wake_.get(), POLLIN, 0}, {has_ended ? -1 : end.end_fd(), POLLIN, 0}};
    bool is_open = false;
    for (const auto& output : end.outputs()) {
      waits.push_back({output.fd.get(), POLLIN, 0});
      is_open = is_open || output.fd;
    }
    if (!is_open && (has_ended || end.end_fd() < 0)) break;
    const int ready = ::poll(waits.data(), waits.size(), has_ended ? kLastWordsMs : -1);
    if (ready < 0 && errno != EINTR) break;
    if (ready == 0) break;  // something it left behind keeps the output open
    if (waits[0].revents != 0) return;
    if (waits[1].revents != 0) has_ended = true;
    std::string frames;
    for (std::size_t i = 0; i < end.outputs().size(); ++i) {
      if (waits[i + 2].revents == 0) continue;
      auto& output = end.outputs()[i];
      const ssize_t got = ::read(output.fd.get(), bytes.data(), bytes.size());
      if (got > 0) append_frame(frames, {{"k", output.name}}, std::string_view(bytes.data(), static_cast<std::size_t>(got)));
      // A terminal whose programs have gone says EIO.
      if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) output.fd.reset();
    }
    if (!frames.empty() && !send(frames)) return;
  }
  if (over_ || stop_) return;
  // What closed its output may go on.
  if (end.end_fd() >= 0 && !wait_for(end.end_fd(), POLLIN, over_wake_.get(), -1)) return;
  send_end(end.end_fd() >= 0 ? end.how_it_ended() : Json{{"exit_code", 0}});
}

void ShellSession::take_input(ShellEnd& end) {
  ApiClient* client = in_.client();
  {
    const std::lock_guard lock(mutex_);
    if (over_) return;
    in_client_ = client;
  }
  if (client) {
    FrameReader frames(kMostFrame);
    ClientRequest request;
    request.target = path("input");
    request.on_data = [&](std::string_view bytes) {
      const Status taken = frames.feed(bytes, [&](const Frame& frame) { return take_frame(end, frame.header, frame.payload); });
      return taken.has_value() && !over_;
    };
    const auto ended = client->send(std::move(request));
    if (!ended) log_debug("session {}: {}", text_at(order_, "id"), ended.error().message);
  }
  const std::lock_guard lock(mutex_);
  in_client_ = nullptr;
  over_ = true;  // whoever sat there has gone, or the server has
  ::eventfd_write(over_wake_.get(), 1);
}

Status ShellSession::take_frame(ShellEnd& end, const Json& header, std::string_view payload) {
  const std::string kind = text_at(header, "k");
  if (kind == "in" && !write_input(end, payload)) return fail(ErrorCode::kUnavailable, "the session is over");
  if (kind == "eof") end.close_input();
  if (kind == "size") end.resize(static_cast<int>(integer_at(header, "rows")), static_cast<int>(integer_at(header, "columns")));
  if (kind == "signal") end.signal(static_cast<int>(integer_at(header, "number")));
  return {};
}

bool ShellSession::write_input(ShellEnd& end, std::string_view bytes) {
  while (!bytes.empty() && end.input() >= 0) {
    const ssize_t done = ::write(end.input(), bytes.data(), bytes.size());
    if (done > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(done));
    } else if (done < 0 && errno == EAGAIN) {
      if (!wait_for(end.input(), POLLOUT, over_wake_.get(), -1)) return false;
    } else if (done < 0 && errno != EINTR) {
      end.close_input();  // it wants no more; that is no reason to end it
      return true;
    }
  }
  return true;
}

bool ShellSession::send(const std::string& frames) {
  const auto sent = out_.once([&](ApiClient& api) {
    return api.send_bytes("POST", path("output"), kFramesType, frames);
  });
  return sent && flag_at(*sent, "taken");
}

void ShellSession::send_end(const Json& how) {
  std::string frames;
  Json header = how;
  header["k"] = "end";
  append_frame(frames, std::move(header), "");
  (void)send(frames);
}

}  // namespace roost
