#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <memory>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "cli/show/run_text.h"
#include "cli/verbs/commands.h"
#include "cli/work/interrupt.h"
#include "cli/work/run_reference.h"
#include "cli/work/run_session.h"

namespace roost {
namespace {

constexpr int kLookAgainMs = 200;  // whether Ctrl-C came
constexpr int kMostAtOnce = 64;

struct ForwardOptions {
  std::string reference;
  std::string ports;
  std::optional<std::int64_t> rank;
};

struct Ports {
  std::uint16_t local = 0;
  std::uint16_t remote = 0;
};

std::optional<std::uint16_t> port_of(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port != 0 ? std::optional(port) : std::nullopt;
}

Result<Ports> ports_of(const std::string& text) {
  const std::size_t colon = text.find(':');
  const auto remote = port_of(colon == std::string::npos ? text : std::string_view(text).substr(colon + 1));
  const auto local = colon == std::string::npos ? remote : port_of(std::string_view(text).substr(0, colon));
  if (remote && local) return Ports{*local, *remote};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("\"{}\" is no port; write it like 6006, or 8080:6006 for port 8080 here", printable(text)));
}

Result<Fd> listen_at(std::uint16_t port) {
  Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int on = 1;
  if (listener) ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (!listener || ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener.get(), 64) != 0) {
    return fail_errno(errno, fmt::format("listen on 127.0.0.1:{} (another port: LOCAL:PORT)", port));
  }
  return listener;
}

// One connection, with a session of its own. The first refusal of all is told.
class Forwarder {
 public:
  Forwarder(ServerAddress server, std::string run, Json ask) : server_(std::move(server)), run_(std::move(run)), ask_(std::move(ask)) {}

  void serve(Fd connection) {
    const int on = 1;
    ::setsockopt(connection.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    SessionEnds ends;
    ends.input = ends.output = connection.get();
    const auto passed = pass_session(server_, run_, ask_, ends);
    ::shutdown(connection.get(), SHUT_RDWR);
    if (!passed) std::fputs(fmt::format("roost: {}\n", passed.error().message).c_str(), stderr);
    if (!passed && passed.error().code == ErrorCode::kFailedPrecondition) is_over_ = true;
    --at_once_;
  }
  bool is_over() const { return is_over_; }
  bool takes_one() { return ++at_once_ <= kMostAtOnce || (--at_once_, false); }
  int at_once() const { return at_once_; }

 private:
  const ServerAddress server_;
  const std::string run_;
  const Json ask_;
  std::atomic<bool> is_over_ = false;
  std::atomic<int> at_once_ = 0;
};

Result<int> forward(Console& console, const ForwardOptions& options) {
  ROOST_TRY(const Ports ports, ports_of(options.ports));
  ROOST_TRY(const ServerAddress server, console.address());
  ROOST_TRY(const Json run, find_run(console, options.reference));
  Json ask = {{"port", ports.remote}};
  if (options.rank) ask["rank"] = *options.rank;
  ROOST_TRY(const Fd listener, listen_at(ports.local));
  ::signal(SIGPIPE, SIG_IGN);
  const InterruptWatch watch;
  auto forwarder = std::make_shared<Forwarder>(server, text_field(run, "id"), ask);
  std::fputs(fmt::format("http://127.0.0.1:{} leads to port {} of {}; Ctrl-C ends it\n", ports.local, ports.remote,
                         text_field(run, "id")).c_str(), stderr);
  while (watch.signal() == 0 && !forwarder->is_over()) {
    pollfd wait{listener.get(), POLLIN, 0};
    if (::poll(&wait, 1, kLookAgainMs) <= 0) continue;
    Fd connection(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!connection || !forwarder->takes_one()) continue;
    // It may wait for the other side for as long as that likes; the process's end ends it.
    std::thread([forwarder, taken = std::make_shared<Fd>(std::move(connection))] { forwarder->serve(std::move(*taken)); }).detach();
  }
  if (watch.signal() != 0) return 128 + watch.signal();
  return exit_code(ErrorCode::kFailedPrecondition);
}

}  // namespace

void register_port_forward(Verb& root, Console& console) {
  auto options = std::make_shared<ForwardOptions>();
  root.verb("port-forward", "Reach a port of a run's node from here: TensorBoard, a debugger")
      .group(kLookGroup)
      .argument("RUN", options->reference, "id, a beginning of it, or @ for the newest")
      .argument("[LOCAL:]PORT", options->ports, "the port there; LOCAL is the one here, if it is another")
      .option("--rank", options->rank, "N", "on the node of this rank (default: 0)")
      .example("roost port-forward @ 6006")
      .example("roost port-forward birds-12 8080:6006")
      .action([&console, options] { return forward(console, *options); });
}

}  // namespace roost
