#include "base/sealing.h"

#include <openssl/evp.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <memory>

#include <fmt/format.h>

#include "base/base64.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kNonceBytes = 12;
constexpr std::size_t kTagBytes = 16;
constexpr std::size_t kIdDigits = 8;

struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;

const unsigned char* raw(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
unsigned char* raw(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }
int length_of(std::string_view text) { return static_cast<int>(text.size()); }

// All that can go wrong with these arguments is a want of memory.
void must(int done) {
  if (done != 1) die("OpenSSL must be able to seal with AES-256-GCM");
}

std::string from_hex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) bytes += static_cast<char>(digit(hex[i]) << 4 | digit(hex[i + 1]));
  return bytes;
}

bool is_key_line(std::string_view id, std::string_view hex) {
  return id.size() == kIdDigits && id.find_first_not_of("0123456789abcdef") == id.npos && is_digest(hex);
}

}  // namespace

Result<Sealer> Sealer::open_or_make(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error)) {
    ROOST_CHECK(write_file_atomic(file, fmt::format("{} {}\n", random_hex(kIdDigits / 2), random_hex(kKeyBytes)), 0600));
  }
  ROOST_TRY(const std::string text, read_file(file));
  std::vector<Key> keys;
  for (const auto& whole : split(text, '\n')) {
    const std::string_view line = trim(whole);
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t blank = line.find(' ');
    const std::string_view hex = blank == line.npos ? std::string_view() : trim(line.substr(blank));
    if (!is_key_line(line.substr(0, blank), hex)) {
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("{} has a line that is no key: each is an id of 8 hex digits, a blank and 64 hex digits. Put "
                              "the file back from a backup; without its keys no secret can be read",
                              file.string()));
    }
    keys.push_back({std::string(line.substr(0, blank)), from_hex(hex)});
  }
  if (keys.empty()) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{} has no key; put it back from a backup, or remove it to begin with a new key", file.string()));
  }
  return Sealer(std::move(keys), file.string());
}

std::string Sealer::seal(std::string_view text, std::string_view place) const {
  const Key& key = keys_.front();
  std::string sealed = from_hex(random_hex(kNonceBytes));
  sealed.resize(kNonceBytes + text.size() + kTagBytes);
  const Context context(EVP_CIPHER_CTX_new());
  int done = 0;
  must(EVP_EncryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, raw(key.bytes), raw(sealed)));
  must(EVP_EncryptUpdate(context.get(), nullptr, &done, raw(place), length_of(place)));
  must(EVP_EncryptUpdate(context.get(), raw(sealed) + kNonceBytes, &done, raw(text), length_of(text)));
  must(EVP_EncryptFinal_ex(context.get(), raw(sealed) + kNonceBytes + done, &done));
  must(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, kTagBytes, raw(sealed) + kNonceBytes + text.size()));
  return fmt::format("{}{}:{}", kSealedPrefix, key.id, base64_encode(sealed));
}

Result<std::string> Sealer::open(std::string_view sealed, std::string_view place) const {
  const auto refuse = [] {
    return fail(ErrorCode::kDataMismatch, "a sealed value was changed, or belongs elsewhere; set it again");
  };
  if (!is_sealed(sealed) || sealed.size() < kSealedPrefix.size() + kIdDigits + 1) return refuse();
  const std::string_view id = sealed.substr(kSealedPrefix.size(), kIdDigits);
  const Key* key = nullptr;
  for (const auto& one : keys_) key = one.id == id ? &one : key;
  if (!key) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("it was sealed with the key {}, which is not in {}; put that file back from a backup, or set the "
                            "value again",
                            printable(id), file_));
  }
  const auto bytes = base64_decode(sealed.substr(kSealedPrefix.size() + kIdDigits + 1));
  if (!bytes || bytes->size() < kNonceBytes + kTagBytes) return refuse();
  std::string box = *bytes;
  const std::size_t size = box.size() - kNonceBytes - kTagBytes;
  std::string text(size, '\0');
  const Context context(EVP_CIPHER_CTX_new());
  int done = 0;
  must(EVP_DecryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, raw(key->bytes), raw(box)));
  must(EVP_DecryptUpdate(context.get(), nullptr, &done, raw(place), length_of(place)));
  must(EVP_DecryptUpdate(context.get(), raw(text), &done, raw(box) + kNonceBytes, static_cast<int>(size)));
  must(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, kTagBytes, raw(box) + kNonceBytes + size));
  std::array<unsigned char, kTagBytes> rest{};
  if (EVP_DecryptFinal_ex(context.get(), rest.data(), &done) != 1) return refuse();
  return text;
}

bool Sealer::is_newest(std::string_view sealed) const {
  return sealed.substr(0, kSealedPrefix.size() + kIdDigits) == std::string(kSealedPrefix) + keys_.front().id;
}

}  // namespace roost
