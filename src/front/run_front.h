#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "net/http_server.h"

namespace roost {

struct RunFrontOptions {
  std::filesystem::path data;
  std::string address = "127.0.0.1";
  std::int64_t port = 0;  // 0: the one it had before, else any
  TlsFiles tls;
};

// The process `roost front`: serves by <data>/serving/routes.json until `stop`, then finishes what is under way. At most
// one a data folder. Says in front.json where it is.
Status run_front(const RunFrontOptions& options, const std::stop_token& stop);

}  // namespace roost
