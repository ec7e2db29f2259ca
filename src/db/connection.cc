#include "db/connection.h"

#include <fmt/format.h>

namespace roost {

Result<std::unique_ptr<Connection>> Connection::open(const std::filesystem::path& path,
                                                     bool writable) {
  std::unique_ptr<Connection> connection(new Connection());
  const int flags = (writable ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READWRITE) |
                    SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(path.c_str(), &connection->handle_, flags, nullptr) != SQLITE_OK) {
    return fail(connection->error("open " + path.string()));
  }
  sqlite3_busy_timeout(connection->handle_, 10'000);
  ROOST_CHECK(connection->execute("PRAGMA journal_mode=WAL"));
  ROOST_CHECK(connection->execute("PRAGMA synchronous=FULL"));
  ROOST_CHECK(connection->execute("PRAGMA foreign_keys=ON"));
  ROOST_CHECK(connection->execute("PRAGMA temp_store=MEMORY"));
  ROOST_CHECK(connection->execute(writable ? "PRAGMA cache_size=-8000" : "PRAGMA cache_size=-2000"));
  if (!writable) {
    ROOST_CHECK(connection->execute("PRAGMA query_only=ON"));
    // A reader's cache is void after every commit of the writer; mapped, the pages stay at hand and are shared.
    ROOST_CHECK(connection->execute("PRAGMA mmap_size=1073741824"));
  }
  return connection;
}

Connection::~Connection() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  sqlite3_close(handle_);
}

Result<sqlite3_stmt*> Connection::prepare(std::string_view sql) {
  lookup_.assign(sql);
  if (const auto found = statements_.find(lookup_); found != statements_.end()) {
    // A statement in use (a query inside a query with the same text) gets a fresh one.
    if (sqlite3_stmt_busy(found->second) == 0) return found->second;
  }
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                         &statement, nullptr) != SQLITE_OK) {
    return fail(error(fmt::format("prepare `{}`", sql)));
  }
  if (const auto [at, fresh] = statements_.emplace(lookup_, statement); !fresh) {
    statements_.emplace(fmt::format("{}\n-- again {}", sql, statements_.size()), statement);
  }
  return statement;
}

Status Connection::execute(const char* sql) {
  if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) return fail(error(sql));
  return {};
}

Error Connection::error(std::string_view doing) const {
  const int code = sqlite3_errcode(handle_);
  const bool full = (code & 0xff) == SQLITE_FULL ||
                    (code == SQLITE_IOERR && sqlite3_system_errno(handle_) == 28 /* ENOSPC */);
  if (full) {
    return {ErrorCode::kResourceExhausted,
            "the disk of the data folder is full; free some space and try again"};
  }
  return {ErrorCode::kInternal, fmt::format("database: {}: {}", doing, sqlite3_errmsg(handle_))};
}

}  // namespace roost
