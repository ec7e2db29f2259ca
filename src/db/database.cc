#include "db/database.h"

#include <exception>

#include <fmt/format.h>

#include "base/activity.h"
#include "base/inside_write.h"
#include "base/log.h"
#include "db/connection.h"
#include "db/schema.h"

namespace roost {

struct Rows::Handle {
  Handle(Connection& on, Statement prepared) : connection(on), statement(std::move(prepared)), piece(on.piece()) {
    connection.rows_opened();
  }
  ~Handle() {
    if (valid()) connection.rows_closed();
  }
  bool valid() const { return piece == connection.piece(); }

  Connection& connection;
  Statement statement;
  std::uint64_t piece;
};

Rows::Rows(std::unique_ptr<Handle> handle, Status status)
    : handle_(std::move(handle)), status_(std::move(status)) {}
Rows::~Rows() = default;
Rows::Rows(Rows&& other) noexcept = default;

bool Rows::next() {
  if (!handle_) return false;
  if (!handle_->valid()) {
    status_ = fail(ErrorCode::kInternal, "rows were read after the work that asked for them");
    handle_.reset();
    return false;
  }
  const int code = sqlite3_step(handle_->statement.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) status_ = fail(handle_->connection.error("read a row"));
  handle_.reset();
  return false;
}

bool Rows::is_null(int column) const {
  return sqlite3_column_type(handle_->statement.get(), column) == SQLITE_NULL;
}
std::int64_t Rows::integer(int column) const {
  return sqlite3_column_int64(handle_->statement.get(), column);
}
double Rows::real(int column) const { return sqlite3_column_double(handle_->statement.get(), column); }
std::string Rows::text(int column) const { return std::string(bytes(column)); }
std::string_view Rows::bytes(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(handle_->statement.get(), column));
  const int size = sqlite3_column_bytes(handle_->statement.get(), column);
  return data ? std::string_view(data, static_cast<std::size_t>(size)) : std::string_view();
}
std::optional<std::int64_t> Rows::maybe_integer(int column) const {
  if (is_null(column)) return std::nullopt;
  return integer(column);
}

namespace {

Status bind_values(Connection& connection, sqlite3_stmt* statement,
                   const std::vector<DbValue>& values, sqlite3_destructor_type lifetime) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int at = static_cast<int>(i) + 1;
    int code = SQLITE_OK;
    if (const auto* whole = std::get_if<std::int64_t>(&values[i])) {
      code = sqlite3_bind_int64(statement, at, *whole);
    } else if (const auto* real = std::get_if<double>(&values[i])) {
      code = sqlite3_bind_double(statement, at, *real);
    } else if (const auto* text = std::get_if<std::string_view>(&values[i])) {
      code = sqlite3_bind_text64(statement, at, text->data() ? text->data() : "", text->size(),
                                 lifetime, SQLITE_UTF8);
    } else if (const auto* blob = std::get_if<Blob>(&values[i])) {
      code = sqlite3_bind_blob64(statement, at, blob->bytes.data() ? blob->bytes.data() : "",
                                 blob->bytes.size(), lifetime);
    } else {
      code = sqlite3_bind_null(statement, at);
    }
    if (code != SQLITE_OK) return fail(connection.error("bind a value"));
  }
  return {};
}

}  // namespace

Result<std::int64_t> Tx::run_values(std::string_view sql, const std::vector<DbValue>& values) {
  // SQLite undoes everything by itself when the disk is full; what followed would then be a transaction of its own.
  if (sqlite3_get_autocommit(connection_.handle()) != 0) {
    return fail(ErrorCode::kInternal, "database: the transaction has ended already");
  }
  ROOST_TRY(const Statement statement, connection_.prepare(sql));
  ROOST_CHECK(bind_values(connection_, statement.get(), values, SQLITE_STATIC));
  const int code = sqlite3_step(statement.get());
  if (code != SQLITE_DONE && code != SQLITE_ROW) return fail(connection_.error(sql));
  return sqlite3_changes64(connection_.handle());
}

Rows Tx::query_values(std::string_view sql, const std::vector<DbValue>& values) {
  auto statement = connection_.prepare(sql);
  if (!statement) return Rows(nullptr, fail(statement.error()));
  auto handle = std::make_unique<Rows::Handle>(connection_, std::move(*statement));
  // The rows are read after this call returned, so SQLite must keep copies of the values.
  auto bound = bind_values(connection_, handle->statement.get(), values, SQLITE_TRANSIENT);
  if (!bound) return Rows(nullptr, fail(bound.error()));
  return Rows(std::move(handle), {});
}

std::int64_t Tx::last_insert_id() const { return sqlite3_last_insert_rowid(connection_.handle()); }

namespace {

constexpr auto kCheckTime = std::chrono::seconds(3);

// Runs one piece of work; what it throws becomes an error of it alone.
Status run_piece(const std::function<Status(Tx&)>& work, Tx& tx, std::string_view activity) {
  std::string thrown;
  try {
    return work(tx);
  } catch (const std::exception& error) {
    thrown = error.what();
  } catch (...) {
    thrown = "something that is not a std::exception";
  }
  log_error("{}: its work on the database threw: {}", activity, thrown);
  return fail(ErrorCode::kInternal, fmt::format("the server failed at {}; its log says why", activity));
}

// SQLite undid the whole batch because a piece met a full or broken disk. What the others are told: the piece's own
// error may be about something else by now.
Status undone_by(const Status& piece) {
  if (!piece && piece.error().code == ErrorCode::kResourceExhausted) return piece;
  return fail(ErrorCode::kInternal, "database: a failed statement undid the writes that shared its commit");
}

// Looks at every page, as far as that takes no longer than a person waits. A damaged database is refused: going on would
// damage it further.
Status check_integrity(Connection& connection, const std::filesystem::path& path) {
  const auto until = std::chrono::steady_clock::now() + kCheckTime;
  sqlite3_progress_handler(
      connection.handle(), 10'000,
      [](void* end) {
        return std::chrono::steady_clock::now() > *static_cast<const std::chrono::steady_clock::time_point*>(end) ? 1 : 0;
      },
      const_cast<std::chrono::steady_clock::time_point*>(&until));
  std::string found;
  const int code = sqlite3_exec(
      connection.handle(), "PRAGMA quick_check(1)",
      [](void* text, int, char** values, char**) {
        *static_cast<std::string*>(text) = values[0] ? values[0] : "";
        return 0;
      },
      &found, nullptr);
  sqlite3_progress_handler(connection.handle(), 0, nullptr, nullptr);
  if (code == SQLITE_INTERRUPT) {
    log_info("{} is large: it was not checked to the end at this start", path.string());
    return {};
  }
  if (code == SQLITE_OK && found == "ok") return {};
  if (code != SQLITE_OK && code != SQLITE_CORRUPT && code != SQLITE_NOTADB) {
    return fail(connection.error("check the database"));
  }
  return fail_damaged(path, code == SQLITE_OK ? found : sqlite3_errmsg(connection.handle()));
}

}  // namespace

struct Database::Waiting {
  const std::function<Status(Tx&)>* work;
  std::string_view activity;
  Status result;
  bool settled = false;  // result says whether it is on disk
  bool done = false;
  std::condition_variable ready;
};

// Holds the place of the one that writes for all who wait. Whatever happens meanwhile, it hands the place on and wakes
// those it wrote for.
class Database::Leader {
 public:
  Leader(Database& database, std::unique_lock<std::mutex>& lock) : database_(database), lock_(lock) {
    database_.leading_ = true;
    batch.swap(database_.queue_);
    lock_.unlock();
  }
  ~Leader() {
    lock_.lock();
    database_.leading_ = false;
    for (Waiting* waiting : batch) {
      waiting->done = true;
      waiting->ready.notify_one();
    }
    if (database_.queue_.empty()) return;
    database_.moved(database_.queue_.front()->activity);
    database_.queue_.front()->ready.notify_one();
  }
  std::deque<Waiting*> batch;

 private:
  Database& database_;
  std::unique_lock<std::mutex>& lock_;
};

Result<std::unique_ptr<Database>> Database::open(const std::filesystem::path& path, DiskReserve* reserve) {
  if (reserve) reserve->lend();
  for (;;) {
    std::unique_ptr<Database> database(new Database());
    database->path_ = path;
    database->reserve_ = reserve;
    auto connection = Connection::open(path, true);
    Status opened = connection ? Status() : fail(connection.error());
    if (opened) {
      database->writer_ = std::move(*connection);
      opened = check_integrity(*database->writer_, path);
      if (opened) opened = database->write([](Tx& tx) { return apply_schema(tx); });
    }
    if (opened) return database;
    if (opened.error().code != ErrorCode::kResourceExhausted || !reserve || !reserve->release()) {
      return fail(opened.error());
    }
  }
}

Database::~Database() = default;

Status Database::write(const std::function<Status(Tx&)>& work) {
  Waiting mine{&work, current_activity(), {}, false, false, {}};
  std::unique_lock lock(mutex_);
  if (queue_.empty() && !leading_) moved(mine.activity);
  queue_.push_back(&mine);
  mine.ready.wait(lock, [&] { return mine.done || !leading_; });
  if (!mine.done) {
    Leader leader(*this, lock);
    commit_batch(leader.batch);
  }
  if (!mine.settled) return fail(ErrorCode::kInternal, "the server could not finish a write; its log says why");
  return std::move(mine.result);
}

void Database::commit_batch(std::deque<Waiting*>& batch) {
  Tx tx(*writer_);
  Status whole;
  if (reserve_) reserve_->lend();
  try {
    moved(batch.front()->activity);
    whole = writer_->execute("BEGIN IMMEDIATE");
    for (Waiting* waiting : batch) {
      if (!whole) break;
      moved(waiting->activity);
      whole = writer_->execute("SAVEPOINT work");
      if (!whole) break;
      {
        const InsideWrite mark(waiting->activity);
        waiting->result = run_piece(*waiting->work, tx, waiting->activity);
      }
      writer_->end_piece();
      if (sqlite3_get_autocommit(writer_->handle()) != 0) {
        whole = undone_by(waiting->result);
        break;
      }
      if (!waiting->result) whole = writer_->execute("ROLLBACK TO work");
      if (whole) whole = writer_->execute("RELEASE work");
    }
    moved(batch.front()->activity);
    if (whole) whole = writer_->execute("COMMIT");
    if (!whole) {
      for (Waiting* waiting : batch) {
        if (waiting->result) waiting->result = fail(whole.error());
      }
      // Those who try again find space.
      if (reserve_ && whole.error().code == ErrorCode::kResourceExhausted) reserve_->release();
    }
    for (Waiting* waiting : batch) waiting->settled = true;
  } catch (const std::exception& error) {
    log_error("a write to the database threw: {}", error.what());
  }
  if (sqlite3_get_autocommit(writer_->handle()) == 0) {
    sqlite3_exec(writer_->handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

void Database::moved(std::string_view activity) {
  const std::lock_guard lock(progress_mutex_);
  activity_ = activity;
  moved_ = std::chrono::steady_clock::now();
}

std::optional<StalledWrite> Database::stalled(std::chrono::nanoseconds limit) const {
  const std::lock_guard lock(mutex_);
  if (queue_.empty() && !leading_) return std::nullopt;
  const std::lock_guard progress(progress_mutex_);
  const auto since = std::chrono::steady_clock::now() - moved_;
  if (since < limit) return std::nullopt;
  return StalledWrite{std::string(activity_), since};
}

Status Database::read(const std::function<Status(Tx&)>& work) {
  std::unique_ptr<Connection> connection;
  {
    const std::lock_guard lock(readers_mutex_);
    if (!idle_readers_.empty()) {
      connection = std::move(idle_readers_.back());
      idle_readers_.pop_back();
    }
  }
  if (!connection) {
    ROOST_TRY(connection, Connection::open(path_, false));
  }
  ROOST_CHECK(connection->execute("BEGIN"));
  Tx tx(*connection);
  Status status = run_piece(work, tx, current_activity());
  connection->end_piece();
  // A connection that cannot end its transaction is not used again.
  if (auto ended = connection->execute("COMMIT"); !ended) return status ? ended : status;
  const std::lock_guard lock(readers_mutex_);
  idle_readers_.push_back(std::move(connection));
  return status;
}

}  // namespace roost
