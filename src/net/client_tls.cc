#include "net/client_tls.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace roost {
namespace {

// The socket under a stream. OpenSSL's own would write() and raise SIGPIPE.
struct Wire {
  int fd;
  bool* broken;
};

int wire_write(BIO* bio, const char* data, int size) {
  const auto* wire = static_cast<const Wire*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  const ssize_t sent = ::send(wire->fd, data, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (sent >= 0) return static_cast<int>(sent);
  if (errno != EAGAIN && errno != EINTR) *wire->broken = true;
  BIO_set_retry_write(bio);
  return -1;
}

int wire_read(BIO* bio, char* data, int size) {
  const auto* wire = static_cast<const Wire*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  const ssize_t received = ::recv(wire->fd, data, static_cast<std::size_t>(size), 0);
  if (received < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
  return static_cast<int>(received);
}

long wire_control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

int wire_destroy(BIO* bio) {
  delete static_cast<Wire*>(BIO_get_data(bio));
  return 1;
}

const BIO_METHOD* wire_method() {
  static const BIO_METHOD* const method = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "roost socket");
    BIO_meth_set_write(made, wire_write);
    BIO_meth_set_read(made, wire_read);
    BIO_meth_set_ctrl(made, wire_control);
    BIO_meth_set_destroy(made, wire_destroy);
    return made;
  }();
  return method;
}

bool is_ip_address(const std::string& host) {
  unsigned char bytes[16];
  return inet_pton(AF_INET, host.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

bool expect_host(SSL* tls, const std::string& host) {
  if (is_ip_address(host)) {
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls), host.c_str()) == 1;
  }
  return SSL_set1_host(tls, host.c_str()) == 1 && SSL_set_tlsext_host_name(tls, host.c_str()) == 1;
}

}  // namespace

Result<TlsContext> make_client_tls(const std::string& ca_file) {
  TlsContext context(SSL_CTX_new(TLS_client_method()));
  if (!context) return fail(ErrorCode::kInternal, "cannot set up TLS: no memory");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_default_verify_paths(context.get());
  if (!ca_file.empty() && SSL_CTX_load_verify_file(context.get(), ca_file.c_str()) != 1) {
    ERR_clear_error();
    return fail(ErrorCode::kInvalidArgument, "cannot use '" + ca_file +
                                                 "' as trusted certificates for TLS; it must be a "
                                                 "readable PEM file");
  }
  ERR_clear_error();
  return context;
}

Result<TlsStream> make_tls_stream(SSL_CTX* context, const Url& url, int fd, bool* broken) {
  TlsStream tls(SSL_new(context));
  BIO* bio = BIO_new(wire_method());
  if (!tls || !bio || !expect_host(tls.get(), url.host)) {
    BIO_free(bio);
    ERR_clear_error();
    return fail(ErrorCode::kInternal, "cannot set up TLS for '" + url.host + "'");
  }
  BIO_set_data(bio, new Wire{fd, broken});
  BIO_set_init(bio, 1);
  SSL_set_bio(tls.get(), bio, bio);
  SSL_set_connect_state(tls.get());
  return tls;
}

std::string tls_error(SSL* tls, int returned) {
  const int saved_errno = errno;
  std::string text;
  if (const long verdict = SSL_get_verify_result(tls); verdict != X509_V_OK) {
    text = std::string("its certificate is not trusted: ") + X509_verify_cert_error_string(verdict);
  } else if (const unsigned long code = ERR_peek_last_error()) {
    const char* reason = ERR_reason_error_string(code);
    text = std::string("TLS failed: ") + (reason ? reason : "unknown error");
  } else if (SSL_get_error(tls, returned) == SSL_ERROR_SYSCALL && saved_errno != 0) {
    text = std::strerror(saved_errno);
  } else {
    text = "the connection was closed";
  }
  ERR_clear_error();
  return text;
}

}  // namespace roost
