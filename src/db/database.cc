#include "db/database.h"

#include "db/connection.h"
#include "db/schema.h"

namespace roost {

struct Rows::Handle {
  Connection& connection;
  sqlite3_stmt* statement;
  ~Handle() { sqlite3_reset(statement); }
};

Rows::Rows(std::unique_ptr<Handle> handle, Status status)
    : handle_(std::move(handle)), status_(std::move(status)) {}
Rows::~Rows() = default;
Rows::Rows(Rows&& other) noexcept = default;

bool Rows::next() {
  if (!handle_) return false;
  const int code = sqlite3_step(handle_->statement);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) status_ = fail(handle_->connection.error("read a row"));
  handle_.reset();
  return false;
}

bool Rows::is_null(int column) const {
  return sqlite3_column_type(handle_->statement, column) == SQLITE_NULL;
}
std::int64_t Rows::integer(int column) const {
  return sqlite3_column_int64(handle_->statement, column);
}
double Rows::real(int column) const { return sqlite3_column_double(handle_->statement, column); }
std::string Rows::text(int column) const { return std::string(bytes(column)); }
std::string_view Rows::bytes(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(handle_->statement, column));
  const int size = sqlite3_column_bytes(handle_->statement, column);
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
  ROOST_TRY(sqlite3_stmt* const statement, connection_.prepare(sql));
  ROOST_CHECK(bind_values(connection_, statement, values, SQLITE_STATIC));
  const int code = sqlite3_step(statement);
  Status status;
  if (code != SQLITE_DONE && code != SQLITE_ROW) status = fail(connection_.error(sql));
  sqlite3_reset(statement);
  if (!status) return fail(status.error());
  return sqlite3_changes64(connection_.handle());
}

Rows Tx::query_values(std::string_view sql, const std::vector<DbValue>& values) {
  auto statement = connection_.prepare(sql);
  if (!statement) return Rows(nullptr, fail(statement.error()));
  auto handle = std::unique_ptr<Rows::Handle>(new Rows::Handle{connection_, *statement});
  // The rows are read after this call returned, so SQLite must keep copies of the values.
  auto bound = bind_values(connection_, *statement, values, SQLITE_TRANSIENT);
  if (!bound) return Rows(nullptr, fail(bound.error()));
  return Rows(std::move(handle), {});
}

std::int64_t Tx::last_insert_id() const { return sqlite3_last_insert_rowid(connection_.handle()); }

struct Database::Waiting {
  const std::function<Status(Tx&)>* work;
  Status result;
  bool done = false;
  std::condition_variable ready;
};

Result<std::unique_ptr<Database>> Database::open(const std::filesystem::path& path) {
  std::unique_ptr<Database> database(new Database());
  database->path_ = path;
  ROOST_TRY(database->writer_, Connection::open(path, true));
  ROOST_CHECK(database->write([](Tx& tx) { return apply_schema(tx); }));
  return database;
}

Database::~Database() = default;

Status Database::write(const std::function<Status(Tx&)>& work) {
  Waiting mine{&work, {}, false, {}};
  std::unique_lock lock(mutex_);
  queue_.push_back(&mine);
  mine.ready.wait(lock, [&] { return mine.done || !leading_; });
  if (mine.done) return std::move(mine.result);
  leading_ = true;
  std::deque<Waiting*> batch;
  batch.swap(queue_);
  lock.unlock();
  commit_batch(batch);
  lock.lock();
  leading_ = false;
  for (Waiting* waiting : batch) {
    waiting->done = true;
    if (waiting != &mine) waiting->ready.notify_one();
  }
  if (!queue_.empty()) queue_.front()->ready.notify_one();
  return std::move(mine.result);
}

void Database::commit_batch(std::deque<Waiting*>& batch) {
  Tx tx(*writer_);
  Status whole = writer_->execute("BEGIN IMMEDIATE");
  for (Waiting* waiting : batch) {
    if (!whole) break;
    whole = writer_->execute("SAVEPOINT work");
    if (!whole) break;
    waiting->result = (*waiting->work)(tx);
    if (!waiting->result) whole = writer_->execute("ROLLBACK TO work");
    if (whole) whole = writer_->execute("RELEASE work");
  }
  if (whole) whole = writer_->execute("COMMIT");
  if (whole) return;
  sqlite3_exec(writer_->handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  for (Waiting* waiting : batch) {
    if (waiting->result) waiting->result = fail(whole.error());
  }
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
  Status status = connection->execute("BEGIN");
  if (status) {
    Tx tx(*connection);
    status = work(tx);
    if (auto ended = connection->execute("COMMIT"); !ended && status) status = ended;
  }
  const std::lock_guard lock(readers_mutex_);
  idle_readers_.push_back(std::move(connection));
  return status;
}

}  // namespace roost
