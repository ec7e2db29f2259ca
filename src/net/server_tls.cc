#include "net/server_tls.h"

namespace roost {

namespace ssl = boost::asio::ssl;

Result<std::unique_ptr<ssl::context>> load_server_tls(const TlsFiles& files) {
  const auto refuse = [](const std::string& path, const boost::system::error_code& error) {
    return fail(ErrorCode::kInvalidArgument, "cannot use '" + path +
                                                 "' for TLS: " + error.message() +
                                                 "; it must be a readable PEM file");
  };
  auto context = std::make_unique<ssl::context>(ssl::context::tls_server);
  boost::system::error_code error;
  context->set_options(
      ssl::context::default_workarounds | ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1, error);
  context->use_certificate_chain_file(files.certificate, error);
  if (error) return refuse(files.certificate, error);
  context->use_private_key_file(files.key, ssl::context::pem, error);
  if (error) return refuse(files.key, error);
  if (SSL_CTX_check_private_key(context->native_handle()) != 1) {
    return fail(ErrorCode::kInvalidArgument, "the TLS key '" + files.key +
                                                 "' does not belong to the certificate '" +
                                                 files.certificate + "'");
  }
  // Idle connections give back their 34 kB of record buffers.
  SSL_CTX_set_mode(context->native_handle(), SSL_MODE_RELEASE_BUFFERS);
  return context;
}

}  // namespace roost
