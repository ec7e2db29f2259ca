#pragma once

#include <memory>
#include <string>

#include <openssl/ssl.h>

#include "base/result.h"
#include "net/url.h"

namespace roost {

struct FreeTls {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* tls) const { SSL_free(tls); }
};
using TlsContext = std::unique_ptr<SSL_CTX, FreeTls>;
using TlsStream = std::unique_ptr<SSL, FreeTls>;

// Trusts the system's authorities and those in `ca_file` ("" for none).
Result<TlsContext> make_client_tls(const std::string& ca_file);

// A client's TLS over the socket `fd`, which must not block. Will accept only a certificate for
// url.host. Never raises SIGPIPE. When the peer stops taking bytes `*broken` becomes true and
// writing wants to be tried again for ever, so that an answer it sent before can still be read.
Result<TlsStream> make_tls_stream(SSL_CTX* context, const Url& url, int fd, bool* broken);

// Why the last call failed: the certificate, the protocol, or the connection.
std::string tls_error(SSL* tls, int returned);

}  // namespace roost
