#include "runner/rendezvous.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <bit>
#include <cstddef>

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

constexpr int kTries = 5000;

bool bind_any(int socket, int port) {
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_addr.s_addr = htonl(INADDR_ANY);
  any.sin_port = htons(static_cast<std::uint16_t>(port));
  return ::bind(socket, reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0;
}

// True if nobody listens there.
bool is_free(int port) {
  const Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) return false;
  // What others left behind in TIME_WAIT does not count: rendezvous servers bind over it too.
  const int yes = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  return bind_any(socket.get(), port) && ::listen(socket.get(), 1) == 0;
}

// The name by which all runners of this network namespace know that a port is spoken for; nothing if it is.
Fd take_name(int port) {
  Fd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  const std::string text = fmt::format("roost-port-{}", port);
  text.copy(name.sun_path + 1, sizeof name.sun_path - 1);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  if (!socket || ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&name), size) != 0) return Fd();
  return socket;
}

struct OwnNetwork {
  std::string interface;
  std::string network;
};

// The interface of this machine that has the address; empty if none has it.
OwnNetwork own_network(const std::string& address) {
  OwnNetwork found;
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return found;
  for (const ifaddrs* entry = all; entry && found.interface.empty(); entry = entry->ifa_next) {
    if (!entry->ifa_addr || !entry->ifa_netmask || entry->ifa_addr->sa_family != AF_INET) continue;
    char text[INET_ADDRSTRLEN] = {};
    in_addr own = reinterpret_cast<const sockaddr_in*>(entry->ifa_addr)->sin_addr;
    if (address != ::inet_ntop(AF_INET, &own, text, sizeof text)) continue;
    const in_addr_t mask = reinterpret_cast<const sockaddr_in*>(entry->ifa_netmask)->sin_addr.s_addr;
    own.s_addr &= mask;
    found.interface = entry->ifa_name;
    found.network = fmt::format("{}/{}", ::inet_ntop(AF_INET, &own, text, sizeof text), std::popcount(mask));
  }
  ::freeifaddrs(all);
  return found;
}

}  // namespace

Result<PortHold> PortHold::take(int preferred, int count) {
  PortHold hold;
  for (int port = preferred; port < preferred + kTries && static_cast<int>(hold.ports_.size()) < count; ++port) {
    Fd name = take_name(port);
    if (!name || !is_free(port)) continue;
    hold.ports_.push_back(port);
    hold.names_.push_back(std::move(name));
  }
  if (static_cast<int>(hold.ports_.size()) == count) return hold;
  return fail(ErrorCode::kResourceExhausted, fmt::format("this node has no {} free ports for its processes", count));
}

std::string machine_id() {
  static const auto id = read_file("/proc/sys/kernel/random/boot_id");
  return id ? std::string(trim(*id)) : "";
}

std::string interface_of(const std::string& address) {
  if (address.starts_with("127.")) return "lo";
  return own_network(address).interface;
}

std::string network_of(const std::string& address) {
  if (address.starts_with("127.")) return "127.0.0.0/8";
  const std::string network = own_network(address).network;
  return network.empty() ? address + "/32" : network;
}

void add_network_variables(const std::string& address, std::map<std::string, std::string>& set) {
  const std::string interface = interface_of(address);
  if (interface.empty()) return;
  for (const char* name : {"GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME", "TP_SOCKET_IFNAME"}) {
    set.try_emplace(name, interface);
  }
}

std::string hosts_file(const std::vector<NodeFacts>& nodes, std::string_view present) {
  std::string text;
  // First: the first line with a name counts, and a machine may call itself 127.0.1.1.
  for (const auto& node : nodes) text += fmt::format("{} {}\n", node.address, node.name);
  if (present.find("localhost") == std::string_view::npos) {
    text += "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n";
  }
  text += present;
  return text;
}

}  // namespace roost
