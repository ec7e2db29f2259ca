#include "db/statement_cache.h"

#include <utility>

namespace roost {

struct Statement::Kept {
  std::string sql;
  sqlite3_stmt* statement;
  bool is_taken;
};

Statement::Statement(Statement&& other) noexcept
    : statement_(std::exchange(other.statement_, nullptr)), kept_(std::exchange(other.kept_, nullptr)) {}

Statement::~Statement() {
  if (!statement_) return;
  if (!kept_) {
    sqlite3_finalize(statement_);
    return;
  }
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
  kept_->is_taken = false;
}

StatementCache::StatementCache() = default;
StatementCache::~StatementCache() { clear(); }

void StatementCache::clear() {
  by_text_.clear();
  for (const auto& kept : kept_) sqlite3_finalize(kept.statement);
  kept_.clear();
}

Statement StatementCache::take(sqlite3* connection, std::string_view sql) {
  const auto found = by_text_.find(sql);
  if (found != by_text_.end() && !found->second->is_taken) {
    kept_.splice(kept_.begin(), kept_, found->second);
    found->second->is_taken = true;
    return {found->second->statement, &*found->second};
  }
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v3(connection, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &statement,
                         nullptr) != SQLITE_OK) {
    return {nullptr, nullptr};
  }
  // A query inside a query of the same text.
  if (found != by_text_.end()) return {statement, nullptr};
  drop_oldest();
  kept_.push_front({std::string(sql), statement, true});
  by_text_.emplace(kept_.front().sql, kept_.begin());
  return {statement, &kept_.front()};
}

void StatementCache::drop_oldest() {
  auto at = kept_.end();
  while (kept_.size() >= kMost && at != kept_.begin()) {
    --at;
    if (at->is_taken) continue;
    by_text_.erase(at->sql);
    sqlite3_finalize(at->statement);
    at = kept_.erase(at);
  }
}

}  // namespace roost
