#pragma once

#include <sqlite3.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"

namespace roost {

// One SQLite connection with its prepared statements, kept by their text. Used by one thread at a time.
class Connection {
 public:
  static Result<std::unique_ptr<Connection>> open(const std::filesystem::path& path, bool writable);
  ~Connection();

  Result<sqlite3_stmt*> prepare(std::string_view sql);
  Status execute(const char* sql);
  // The connection's last error as ours: a full disk is kResourceExhausted.
  Error error(std::string_view doing) const;
  sqlite3* handle() const { return handle_; }

 private:
  Connection() = default;
  sqlite3* handle_ = nullptr;
  std::unordered_map<std::string, sqlite3_stmt*> statements_;
  std::string lookup_;
};

}  // namespace roost
