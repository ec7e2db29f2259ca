#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <memory>

#include "base/files.h"
#include "net/http_server.h"

namespace roost {
namespace {

template <class T, void (*Free)(T*)>
struct Freed {
  void operator()(T* object) const { Free(object); }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY, EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509, X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION, X509_EXTENSION_free>>;
using Bio = std::unique_ptr<BIO, Freed<BIO, BIO_free_all>>;

tl::unexpected<Error> openssl_failed(const char* doing) {
  char text[256];
  ERR_error_string_n(ERR_get_error(), text, sizeof text);
  ERR_clear_error();
  return fail(ErrorCode::kInternal, std::string("cannot ") + doing + ": " + text);
}

bool is_ip_address(const std::string& host) {
  unsigned char bytes[16];
  return inet_pton(AF_INET, host.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

bool add_extension(X509* certificate, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool set_random_serial(X509* certificate) {
  unsigned char bytes[16];
  if (RAND_bytes(bytes, sizeof bytes) != 1) return false;
  bytes[0] &= 0x7f;
  const std::unique_ptr<BIGNUM, Freed<BIGNUM, BN_free>> number(
      BN_bin2bn(bytes, sizeof bytes, nullptr));
  return number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate));
}

// It is its own authority, so that it can be given to clients as the one they trust.
bool fill(X509* certificate, EVP_PKEY* key, const std::vector<std::string>& host_names) {
  constexpr long kDay = 24 * 60 * 60;
  X509_NAME* name = X509_get_subject_name(certificate);
  const auto* common_name = reinterpret_cast<const unsigned char*>("roost");
  std::string alternatives;
  for (const std::string& host : host_names) {
    if (!alternatives.empty()) alternatives += ",";
    alternatives += (is_ip_address(host) ? "IP:" : "DNS:") + host;
  }
  return X509_set_version(certificate, X509_VERSION_3) == 1 && set_random_serial(certificate) &&
         X509_gmtime_adj(X509_getm_notBefore(certificate), -kDay) &&
         X509_gmtime_adj(X509_getm_notAfter(certificate), 3652 * kDay) &&
         X509_set_pubkey(certificate, key) == 1 &&
         X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, common_name, -1, -1, 0) == 1 &&
         X509_set_issuer_name(certificate, name) == 1 &&
         add_extension(certificate, NID_basic_constraints, "critical,CA:TRUE") &&
         add_extension(certificate, NID_key_usage, "critical,digitalSignature,keyCertSign") &&
         add_extension(certificate, NID_ext_key_usage, "serverAuth") &&
         add_extension(certificate, NID_subject_key_identifier, "hash") &&
         add_extension(certificate, NID_authority_key_identifier, "keyid:always") &&
         add_extension(certificate, NID_subject_alt_name, alternatives) &&
         X509_sign(certificate, key, EVP_sha256()) > 0;
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

}  // namespace

Status make_self_signed(const std::string& certificate_path, const std::string& key_path,
                        const std::vector<std::string>& host_names) {
  if (host_names.empty()) {
    return fail(ErrorCode::kInvalidArgument, "a certificate needs at least one host name");
  }
  for (const std::string& host : host_names) {
    if (host.empty() || host.find_first_of(",:; \n") != std::string::npos) {
      if (!is_ip_address(host)) {
        return fail(ErrorCode::kInvalidArgument,
                    "not a host name for a certificate: '" + host + "'");
      }
    }
  }
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate(X509_new());
  if (!key || !certificate || !fill(certificate.get(), key.get(), host_names)) {
    return openssl_failed("make a certificate");
  }
  const Bio certificate_text(BIO_new(BIO_s_mem()));
  const Bio key_text(BIO_new(BIO_s_secmem()));
  if (!certificate_text || !key_text ||
      PEM_write_bio_X509(certificate_text.get(), certificate.get()) != 1 ||
      PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) !=
          1) {
    return openssl_failed("write a certificate");
  }
  ROOST_CHECK(write_file_atomic(key_path, text_of(key_text.get()), 0600));
  return write_file_atomic(certificate_path, text_of(certificate_text.get()));
}

}  // namespace roost
