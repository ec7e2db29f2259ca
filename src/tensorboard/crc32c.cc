#include "tensorboard/crc32c.h"

#include <array>
#include <bit>
#include <cstring>

namespace roost {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::uint32_t kPolynomial = 0x82F63B78;
constexpr std::uint32_t kMask = 0xA282EAD8;

// Table k says what a byte does to the sum once k more bytes have followed it: eight are taken at one go.
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t sum = i;
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1) != 0 ? kPolynomial : 0);
    tables[0][i] = sum;
  }
  for (std::size_t k = 1; k < 8; ++k) {
    for (std::size_t i = 0; i < 256; ++i) tables[k][i] = (tables[k - 1][i] >> 8) ^ tables[0][tables[k - 1][i] & 0xFF];
  }
  return tables;
}

constexpr Tables kTables = make_tables();

}  // namespace

std::uint32_t masked_crc32c(std::string_view bytes) {
  std::uint32_t sum = 0xFFFFFFFF;
  while (bytes.size() >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    word ^= sum;
    sum = 0;
    for (std::size_t k = 0; k < 8; ++k) sum ^= kTables[7 - k][(word >> (8 * k)) & 0xFF];
    bytes.remove_prefix(8);
  }
  for (const char c : bytes) sum = (sum >> 8) ^ kTables[0][(sum ^ static_cast<unsigned char>(c)) & 0xFF];
  sum ^= 0xFFFFFFFF;
  return std::rotr(sum, 15) + kMask;
}

}  // namespace roost
