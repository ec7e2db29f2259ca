#include "runner/rendezvous.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bit>
#include <cerrno>

#include <fmt/format.h>

#include "base/text.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr int kTries = 200;

bool bind_any(int socket, int port) {
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_addr.s_addr = htonl(INADDR_ANY);
  any.sin_port = htons(static_cast<std::uint16_t>(port));
  return ::bind(socket, reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0;
}

// A port nobody listens on: `wanted`, or if that is 0 one that the kernel chooses. 0 if there is none.
int free_port(int wanted) {
  const Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) return 0;
  // What others left behind in TIME_WAIT does not count: rendezvous servers bind over it too.
  const int yes = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (!bind_any(socket.get(), wanted) || ::listen(socket.get(), 1) != 0) return 0;
  sockaddr_in bound{};
  socklen_t size = sizeof bound;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&bound), &size) != 0) return 0;
  return ntohs(bound.sin_port);
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

Result<PortHold> PortHold::take(const fs::path& folder, int preferred, int count) {
  ROOST_CHECK(make_folders(folder));
  PortHold hold;
  for (int tries = 0; tries < kTries && static_cast<int>(hold.ports_.size()) < count; ++tries) {
    const int port = free_port(tries == 0 ? preferred : 0);
    if (port == 0) continue;
    Fd lock(::open((folder / std::to_string(port)).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!lock) return fail_errno(errno, "hold a port");
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) continue;
    hold.ports_.push_back(port);
    hold.locks_.push_back(std::move(lock));
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
