#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include <boost/asio/ip/address.hpp>

namespace roost {

bool is_loopback(const boost::asio::ip::address& address);

// Counts connections by the address they come from. Thread-safe; what it handed out may outlive it.
class AddressLimit {
 public:
  // Times as many for loopback: this machine's studio, SDK and runners share an address, and so do all who come
  // through a proxy on it.
  static constexpr std::size_t kForLoopback = 4;

  // At most `most` of one address at once; 0: any number.
  explicit AddressLimit(std::size_t most) : most_(most), counts_(std::make_shared<Counts>()) {}

  // Counts a connection until what is returned is gone; null if the address has too many. Of IPv6 a network of 64 bits
  // is one address: that is what one machine has to choose from.
  std::shared_ptr<void> enter(const boost::asio::ip::address& peer);
  static std::string name_of(const boost::asio::ip::address& peer);

 private:
  struct Counts {
    std::mutex mutex;
    std::unordered_map<std::string, std::size_t> of;
  };
  const std::size_t most_;
  const std::shared_ptr<Counts> counts_;
};

}  // namespace roost
