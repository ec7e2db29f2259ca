#pragma once

#include <memory>

#include <boost/asio/ssl/context.hpp>

#include "base/result.h"
#include "net/http_server.h"

namespace roost {

// What TLS connections of a server share: TLS 1.2 or later, the certificate and its key.
Result<std::unique_ptr<boost::asio::ssl::context>> load_server_tls(const TlsFiles& files);

}  // namespace roost
