#include "db/connection.h"

#include <fmt/format.h>

namespace roost {

tl::unexpected<Error> fail_damaged(const std::filesystem::path& path, std::string_view what) {
  return fail(ErrorCode::kFailedPrecondition,
              fmt::format("the database {} is damaged ({}); restore it from a backup (docs/operations.md), or choose "
                          "another --data",
                          path.string(), what));
}

Result<std::unique_ptr<Connection>> Connection::open(const std::filesystem::path& path,
                                                     bool writable) {
  std::unique_ptr<Connection> connection(new Connection());
  const int flags = (writable ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READWRITE) |
                    SQLITE_OPEN_NOMUTEX;
  // Nobody asks how much memory it has; counting it takes a lock at each allocation of each thread.
  static const int uncounted = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  (void)uncounted;
  if (sqlite3_open_v2(path.c_str(), &connection->handle_, flags, nullptr) != SQLITE_OK) {
    return fail(connection->error("open " + path.string()));
  }
  sqlite3_busy_timeout(connection->handle_, 10'000);
  // The first that reads anything of it.
  if (const auto read = connection->execute("PRAGMA journal_mode=WAL"); !read) {
    const int code = sqlite3_errcode(connection->handle_);
    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB) return fail_damaged(path, sqlite3_errmsg(connection->handle_));
    return fail(read.error());
  }
  ROOST_CHECK(connection->execute("PRAGMA synchronous=FULL"));
  ROOST_CHECK(connection->execute("PRAGMA foreign_keys=ON"));
  ROOST_CHECK(connection->execute("PRAGMA temp_store=MEMORY"));
  ROOST_CHECK(connection->execute(writable ? "PRAGMA cache_size=-8000" : "PRAGMA cache_size=-2000"));
  // The pages that every commit changes reach the database once in 16 MB of them, not in four.
  if (writable) ROOST_CHECK(connection->execute("PRAGMA wal_autocheckpoint=4000"));
  if (!writable) {
    ROOST_CHECK(connection->execute("PRAGMA query_only=ON"));
    // A reader's cache is void after every commit of the writer; mapped, the pages stay at hand and are shared.
    ROOST_CHECK(connection->execute("PRAGMA mmap_size=1073741824"));
  }
  return connection;
}

Connection::~Connection() {
  statements_.clear();
  sqlite3_close(handle_);
}

Result<Statement> Connection::prepare(std::string_view sql) {
  Statement statement = statements_.take(handle_, sql);
  if (!statement.get()) return fail(error(fmt::format("prepare `{}`", sql)));
  return statement;
}

void Connection::end_piece() {
  ++piece_;
  if (open_rows_ == 0) return;
  open_rows_ = 0;
  for (sqlite3_stmt* at = nullptr; (at = sqlite3_next_stmt(handle_, at)) != nullptr;) sqlite3_reset(at);
}

Status Connection::execute(const char* sql) {
  ROOST_TRY(const Statement statement, prepare(sql));
  int code = SQLITE_ROW;
  while (code == SQLITE_ROW) code = sqlite3_step(statement.get());
  if (code != SQLITE_DONE) return fail(error(sql));
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
