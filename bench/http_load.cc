// Sends one request over and over on kept connections, each of which has one under way, and prints requests a second and
// their times as JSON. One thread, as little work a request as can be: a client that is slower than the server shows itself.
// usage: http_load PORT PATH BODY_FILE [--header "NAME: VALUE"]... [--clients N] [--seconds S] [--warm S] [--status N]
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

using Steady = std::chrono::steady_clock;

namespace {

struct Arguments {
  int port = 0;
  std::string path;
  std::string body;
  std::string headers;
  std::string status = "200";
  int clients = 1;
  double seconds = 3;
  double warm = 0.5;
};

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "http_load: %s\n", why.c_str());
  std::exit(2);
}

std::string read_all(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) give_up(std::string("cannot read ") + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Arguments read_arguments(int count, char** values) {
  if (count < 4) give_up("usage: http_load PORT PATH BODY_FILE [--header TEXT]... [--clients N] [--seconds S]");
  Arguments arguments;
  arguments.port = std::atoi(values[1]);
  arguments.path = values[2];
  arguments.body = read_all(values[3]);
  for (int i = 4; i + 1 < count; i += 2) {
    const std::string_view name = values[i];
    if (name == "--header")
      arguments.headers += std::string(values[i + 1]) + "\r\n";
    else if (name == "--clients")
      arguments.clients = std::atoi(values[i + 1]);
    else if (name == "--seconds")
      arguments.seconds = std::atof(values[i + 1]);
    else if (name == "--warm")
      arguments.warm = std::atof(values[i + 1]);
    else if (name == "--status")
      arguments.status = values[i + 1];
    else
      give_up("what is " + std::string(name) + "?");
  }
  return arguments;
}

int connect_to(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    give_up(std::string("cannot connect: ") + std::strerror(errno));
  }
  const int one = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return fd;
}

struct Connection {
  int fd = -1;
  Steady::time_point sent;
  std::string answer;
};

void send_request(Connection& connection, const std::string& request) {
  connection.sent = Steady::now();
  connection.answer.clear();
  for (std::size_t done = 0; done < request.size();) {
    const ssize_t size = ::send(connection.fd, request.data() + done, request.size() - done, MSG_NOSIGNAL);
    if (size < 0) give_up(std::string("cannot send: ") + std::strerror(errno));
    done += static_cast<std::size_t>(size);
  }
}

// How long the answer is as a whole; 0 if its head is not there yet.
std::size_t length_of(const std::string& answer) {
  const std::size_t end = answer.find("\r\n\r\n");
  if (end == std::string::npos) return 0;
  for (std::size_t line = answer.find("\r\n"); line < end; line = answer.find("\r\n", line + 2)) {
    constexpr std::string_view kName = "content-length:";
    if (::strncasecmp(answer.data() + line + 2, kName.data(), kName.size()) == 0) {
      return end + 4 + std::strtoull(answer.data() + line + 2 + kName.size(), nullptr, 10);
    }
  }
  give_up("an answer without a length: " + answer.substr(0, 300));
}

// Whether the answer is complete.
bool receive(Connection& connection, const std::string& status) {
  static char buffer[1 << 18];
  const ssize_t size = ::recv(connection.fd, buffer, sizeof buffer, MSG_DONTWAIT);
  if (size < 0 && errno == EAGAIN) return false;
  if (size <= 0) give_up("the server closed a connection; it had answered " + connection.answer.substr(0, 300));
  connection.answer.append(buffer, static_cast<std::size_t>(size));
  const std::size_t length = length_of(connection.answer);
  if (length == 0 || connection.answer.size() < length) return false;
  if (connection.answer.compare(9, 3, status) != 0) give_up("the answer is " + connection.answer.substr(0, 500));
  return true;
}

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

class Load {
 public:
  explicit Load(const Arguments& arguments) : arguments_(arguments), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    request_ = "POST " + arguments.path + " HTTP/1.1\r\nHost: bench\r\n" + arguments.headers +
               "Content-Length: " + std::to_string(arguments.body.size()) + "\r\n\r\n" + arguments.body;
    connections_.resize(static_cast<std::size_t>(arguments.clients));
    for (Connection& connection : connections_) {
      connection.fd = connect_to(arguments.port);
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.ptr = &connection;
      ::epoll_ctl(epoll_, EPOLL_CTL_ADD, connection.fd, &event);
    }
    for (Connection& connection : connections_) send_request(connection, request_);
  }

  // The times of the requests that were answered meanwhile, in microseconds.
  std::vector<double> run(double seconds) {
    std::vector<double> times;
    const auto end = Steady::now() + std::chrono::duration<double>(seconds);
    std::vector<epoll_event> events(connections_.size());
    for (auto now = Steady::now(); now < end; now = Steady::now()) {
      const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 30'000);
      if (count == 0) give_up("no answer for 30 s");
      for (int i = 0; i < count; ++i) {
        Connection& connection = *static_cast<Connection*>(events[static_cast<std::size_t>(i)].data.ptr);
        if (!receive(connection, arguments_.status)) continue;
        times.push_back(std::chrono::duration<double, std::micro>(Steady::now() - connection.sent).count());
        send_request(connection, request_);
      }
    }
    return times;
  }

 private:
  const Arguments& arguments_;
  int epoll_;
  std::string request_;
  std::vector<Connection> connections_;
};

}  // namespace

int main(int count, char** values) {
  const Arguments arguments = read_arguments(count, values);
  Load load(arguments);
  load.run(arguments.warm);
  const auto start = Steady::now();
  const double cpu_before = cpu_seconds();
  std::vector<double> times = load.run(arguments.seconds);
  const double seconds = std::chrono::duration<double>(Steady::now() - start).count();
  if (times.empty()) give_up("not one request was answered");
  const double cpu = (cpu_seconds() - cpu_before) * 1e6 / static_cast<double>(times.size());
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  std::printf("{\"requests_per_second\": %.1f, \"p50_us\": %.1f, \"p99_us\": %.1f, \"cpu_us\": %.1f, \"requests\": %zu, "
              "\"clients\": %d}\n",
              static_cast<double>(times.size()) / seconds, at(0.5), at(0.99), cpu, times.size(), arguments.clients);
}
