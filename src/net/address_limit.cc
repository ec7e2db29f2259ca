#include "net/address_limit.h"

#include <algorithm>

#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/address_v6.hpp>

namespace roost {
namespace {

namespace ip = boost::asio::ip;

ip::address plain(const ip::address& address) {
  if (!address.is_v6() || !address.to_v6().is_v4_mapped()) return address;
  return ip::make_address_v4(ip::v4_mapped, address.to_v6());
}

}  // namespace

bool is_loopback(const ip::address& address) { return plain(address).is_loopback(); }

std::string AddressLimit::name_of(const ip::address& peer) {
  const ip::address address = plain(peer);
  if (!address.is_v6() || address.is_loopback()) return address.to_string();
  auto bytes = address.to_v6().to_bytes();
  std::fill(bytes.begin() + 8, bytes.end(), static_cast<unsigned char>(0));
  return ip::address_v6(bytes).to_string() + "/64";
}

std::shared_ptr<void> AddressLimit::enter(const ip::address& peer) {
  std::string name = name_of(peer);
  {
    const std::lock_guard lock(counts_->mutex);
    std::size_t& count = counts_->of[name];
    if (most_ > 0 && count >= most_ * (is_loopback(peer) ? kForLoopback : 1)) return nullptr;
    ++count;
  }
  return std::shared_ptr<void>(counts_.get(), [counts = counts_, name = std::move(name)](void*) {
    const std::lock_guard lock(counts->mutex);
    const auto at = counts->of.find(name);
    if (--at->second == 0) counts->of.erase(at);
  });
}

}  // namespace roost
