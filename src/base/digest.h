#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace roost {

// SHA-256 by OpenSSL (hardware-accelerated), fed piece by piece. Not thread-safe.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void update(std::string_view bytes);
  // 64 lower-case hex digits; the object is ready for the next message after it.
  std::string hex();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

std::string sha256_hex(std::string_view bytes);
Result<std::string> sha256_file(const std::filesystem::path& path);

// HMAC-SHA-256 in hex: what only a holder of `key` can make of `message`.
std::string hmac_hex(std::string_view key, std::string_view message);

bool is_digest(std::string_view text);  // 64 lower-case hex digits
std::string to_hex(const unsigned char* bytes, std::size_t size);

// `bytes` random bytes as hex, from the kernel.
std::string random_hex(std::size_t bytes);

// Compares without telling by its time where the difference is.
bool equal_secret(std::string_view a, std::string_view b);

}  // namespace roost
