#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "db/statement_cache.h"

namespace roost {

// A database whose pages do not fit together; what of it does not is in SQLite's words.
tl::unexpected<Error> fail_damaged(const std::filesystem::path& path, std::string_view what);

// One SQLite connection with its prepared statements. Used by one thread at a time.
class Connection {
 public:
  static Result<std::unique_ptr<Connection>> open(const std::filesystem::path& path, bool writable);
  ~Connection();

  Result<Statement> prepare(std::string_view sql);
  Status execute(const char* sql);
  // The connection's last error as ours: a full disk is kResourceExhausted.
  Error error(std::string_view doing) const;
  sqlite3* handle() const { return handle_; }

  // Rows belong to a piece of work. Those that outlive it are cut off: their statement is free again, and they notice
  // by the number of the piece.
  std::uint64_t piece() const { return piece_; }
  void rows_opened() { ++open_rows_; }
  void rows_closed() { --open_rows_; }
  void end_piece();

 private:
  Connection() = default;
  sqlite3* handle_ = nullptr;
  StatementCache statements_;
  std::uint64_t piece_ = 0;
  std::int64_t open_rows_ = 0;
};

}  // namespace roost
