#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

namespace roost {

class StatementCache;

// The use of a prepared statement: until its end nobody else gets the same one. Afterwards the statement is reset, its
// values are let go of, and it may be used again. Must not outlive the cache.
class Statement {
 public:
  ~Statement();
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;

  sqlite3_stmt* get() const { return statement_; }

 private:
  friend class StatementCache;
  struct Kept;
  Statement(sqlite3_stmt* statement, Kept* kept) : statement_(statement), kept_(kept) {}
  sqlite3_stmt* statement_;
  Kept* kept_;  // null: of this use alone
};

// The prepared statements of one connection by their text. Texts are made of what users ask for, so there is no end of
// them: only those used last are kept. Used by one thread at a time.
class StatementCache {
 public:
  static constexpr std::size_t kMost = 256;

  StatementCache();
  ~StatementCache();
  StatementCache(const StatementCache&) = delete;
  StatementCache& operator=(const StatementCache&) = delete;

  // The statement of that text; null if SQLite refuses it, and says why by sqlite3_errmsg.
  Statement take(sqlite3* connection, std::string_view sql);
  // Finalizes all, before the connection is closed.
  void clear();

 private:
  void drop_oldest();
  std::list<Statement::Kept> kept_;  // used last comes first
  std::unordered_map<std::string_view, std::list<Statement::Kept>::iterator> by_text_;
};

}  // namespace roost
