#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/disk_reserve.h"
#include "base/result.h"

namespace roost {

struct Blob {
  std::string_view bytes;
};

// A value bound to a '?' of a statement. Text and bytes must live until the call returns.
using DbValue = std::variant<std::nullptr_t, std::int64_t, double, std::string_view, Blob>;

inline DbValue db_value(std::nullptr_t) { return nullptr; }
inline DbValue db_value(bool v) { return static_cast<std::int64_t>(v); }
inline DbValue db_value(int v) { return static_cast<std::int64_t>(v); }
inline DbValue db_value(std::int64_t v) { return v; }
inline DbValue db_value(double v) { return v; }
inline DbValue db_value(const char* v) { return std::string_view(v); }
inline DbValue db_value(std::string_view v) { return v; }
inline DbValue db_value(const std::string& v) { return std::string_view(v); }
inline DbValue db_value(Blob v) { return v; }
inline DbValue db_value(DbValue v) { return v; }
template <class T>
DbValue db_value(const std::optional<T>& v) {
  return v ? db_value(*v) : DbValue(nullptr);
}

class Connection;

// The rows of one query, read forward. An error ends the rows and stays in status(). Valid during the piece of work
// that asked for them only: after it they end with an error.
class Rows {
 public:
  ~Rows();
  Rows(Rows&& other) noexcept;

  bool next();
  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;           // "" for null
  std::string_view bytes(int column) const;     // valid until next()
  std::optional<std::int64_t> maybe_integer(int column) const;
  const Status& status() const { return status_; }

 private:
  friend class Tx;
  struct Handle;
  explicit Rows(std::unique_ptr<Handle> handle, Status status);
  std::unique_ptr<Handle> handle_;
  Status status_;
};

// What a piece of work does its statements with; valid during the call only.
class Tx {
 public:
  // Runs a statement that gives no rows; the number of rows it changed.
  template <class... Args>
  Result<std::int64_t> run(std::string_view sql, const Args&... args) {
    return run_values(sql, {db_value(args)...});
  }
  template <class... Args>
  Rows query(std::string_view sql, const Args&... args) {
    return query_values(sql, {db_value(args)...});
  }
  Result<std::int64_t> run_values(std::string_view sql, const std::vector<DbValue>& values);
  Rows query_values(std::string_view sql, const std::vector<DbValue>& values);
  std::int64_t last_insert_id() const;

 private:
  friend class Database;
  explicit Tx(Connection& connection) : connection_(connection) {}
  Connection& connection_;
};

// A write that does not get on.
struct StalledWrite {
  std::string activity;  // what its caller was doing, see base/activity.h
  std::chrono::nanoseconds since{};
};

// An SQLite database (WAL, synchronous=FULL). Thread-safe. Writers that wait at the same time share
// one commit, so that a burst costs one fsync; each still succeeds or fails alone. Work that throws fails like work
// that returns an error, with kInternal; what it threw is in the log.
class Database {
 public:
  // On a full disk writes use what `reserve` has kept aside, if one is given; it must outlive this.
  static Result<std::unique_ptr<Database>> open(const std::filesystem::path& path, DiskReserve* reserve = nullptr);
  ~Database();

  // Runs `work` in a transaction and returns when it is on disk. An error of `work` undoes it alone.
  Status write(const std::function<Status(Tx&)>& work);
  // Runs `work` on a consistent view; it must not write.
  Status read(const std::function<Status(Tx&)>& work);

  // The write at hand if it has not moved for `limit`: neither a piece of work nor a commit began or ended.
  std::optional<StalledWrite> stalled(std::chrono::nanoseconds limit) const;

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;
  struct Waiting;
  class Leader;
  Database() = default;
  void commit_batch(std::deque<Waiting*>& batch);
  void moved(std::string_view activity);

  std::filesystem::path path_;
  DiskReserve* reserve_ = nullptr;
  mutable std::mutex mutex_;
  std::deque<Waiting*> queue_;
  bool leading_ = false;
  std::unique_ptr<Connection> writer_;
  // What the writer is at, and since when. The text belongs to a caller that waits for it.
  mutable std::mutex progress_mutex_;
  std::string_view activity_;
  SteadyTime moved_{};

  std::mutex readers_mutex_;
  std::vector<std::unique_ptr<Connection>> idle_readers_;
};

}  // namespace roost
