#include "access/access.h"

#include <sys/stat.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "records/allocation_records.h"
#include "records/attempt_records.h"
#include "records/compute_records.h"

namespace roost {
namespace {

constexpr std::string_view kRoles[] = {"reader", "contributor", "owner"};
constexpr std::size_t kMostKnown = 10'000;
constexpr Micros kCodeLives = 15 * 60 * kSecond;
constexpr Micros kSessionLives = 14 * 24 * 3600 * kSecond;
constexpr std::string_view kRunPrefix = "roost_run_";
constexpr std::string_view kNodePrefix = "roost_node_";
constexpr std::string_view kAllocationPrefix = "roost_job_";
constexpr std::string_view kStopPrefix = "roost_stop_";
constexpr std::string_view kSessionPrefix = "roost_session_";

// Without one nobody could give or take back access any more. One that has expired opens nothing.
Status check_owner_is_left(Tx& tx, const std::string& without, Micros now) {
  Rows rows = tx.query(
      "SELECT count(*) FILTER (WHERE id = ?1), count(*) FILTER (WHERE id <> ?1) FROM token"
      " WHERE role = 'owner' AND revoked = 0 AND (expires IS NULL OR expires > ?2)",
      without, now);
  const bool is_last = rows.next() && rows.integer(0) == 1 && rows.integer(1) == 0;
  ROOST_CHECK(rows.status());
  if (!is_last) return {};
  return fail(ErrorCode::kFailedPrecondition,
              fmt::format("{} is the last owner's token that is good, and without one nobody could give access any more; make "
                          "another first: roost token create NAME --role owner",
                          printable(without)));
}

}  // namespace

std::string_view role_name(Role role) { return kRoles[static_cast<std::size_t>(role)]; }

std::optional<Role> role_from_name(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kRoles); ++i) {
    if (kRoles[i] == name) return static_cast<Role>(i);
  }
  return std::nullopt;
}

Json token_json(const Token& token) {
  return {{"id", token.id},
          {"name", token.name},
          {"role", role_name(token.role)},
          {"created_at", format_time(token.created)},
          {"expires_at", token.expires ? Json(format_time(*token.expires)) : Json()},
          {"revoked", token.revoked}};
}

std::string Access::hash(std::string_view token) { return sha256_hex(token); }

std::string Access::fingerprint(std::string_view text) const { return hmac_hex(secret_, fmt::format("text/{}", text)); }

bool Access::is_machines(std::string_view token) {
  return token.starts_with(kRunPrefix) || token.starts_with(kNodePrefix) || token.starts_with(kAllocationPrefix);
}

std::string Access::stop_token() const { return std::string(kStopPrefix) + hmac_hex(secret_, "stop"); }

std::string Access::node_token(const std::string& node) const {
  return std::string(kNodePrefix) + hmac_hex(secret_, "node/" + node);
}

std::string Access::allocation_token(const std::string& name) const {
  return std::string(kAllocationPrefix) + hmac_hex(secret_, "allocation/" + name);
}

std::string Access::attempt_token(const std::string& run, std::int64_t attempt) const {
  return std::string(kRunPrefix) + hmac_hex(secret_, fmt::format("attempt/{}/{}", run, attempt));
}

Status Access::ensure_owner_token(const std::filesystem::path& file) {
  if (const auto text = read_file(file)) {
    const auto known = authenticate(trim(*text));
    if (known && known->role == Role::kOwner) return {};
  }
  ROOST_TRY(const NewToken made, create("owner", Role::kOwner, std::nullopt));
  return write_file_atomic(file, made.secret + "\n", 0600);
}

Result<Principal> Access::authenticate(std::string_view bearer) {
  const auto refuse = [](std::string_view why) {
    return fail(ErrorCode::kUnauthenticated,
                fmt::format("{}; send 'Authorization: Bearer TOKEN' ('roost token create' makes one)",
                            why));
  };
  if (bearer.empty()) return refuse("this needs a token");
  const std::string secret(bearer);
  const std::string digest = hash(bearer);
  ROOST_TRY(std::optional<Principal> known,
            is_machines(bearer) ? machine_of(secret, digest) : person_of(secret, digest));
  if (!known) return refuse("the token is not known or was revoked");
  if (known->expires && *known->expires <= clock_.now()) {
    return refuse("the token expired on " + format_time(*known->expires));
  }
  return *std::move(known);
}

Result<std::optional<Principal>> Access::person_of(const std::string& bearer, const std::string& digest) {
  std::uint64_t revocations = 0;
  {
    const std::lock_guard lock(mutex_);
    if (const auto it = known_.find(digest); it != known_.end()) return it->second;
    revocations = revocations_;
  }
  std::optional<Principal> found;
  ROOST_CHECK(db_.read([&](Tx& tx) -> Status {
    Rows rows = bearer.starts_with(kSessionPrefix)
                    ? tx.query("SELECT t.name, t.role, min(s.expires, coalesce(t.expires, s.expires)), t.id FROM session s"
                               " JOIN token t ON t.id = s.token WHERE s.hash = ? AND t.revoked = 0",
                               digest)
                    : tx.query("SELECT name, role, expires, id FROM token WHERE hash = ? AND revoked = 0", digest);
    if (rows.next()) {
      found.emplace();
      found->name = rows.text(0);
      found->role = role_from_name(rows.bytes(1)).value_or(Role::kReader);
      found->expires = rows.maybe_integer(2);
      found->token = rows.text(3);
    }
    return rows.status();
  }));
  if (!found) return found;
  const std::lock_guard lock(mutex_);
  if (revocations != revocations_) return found;
  if (known_.size() >= kMostKnown) known_.clear();
  known_.emplace(digest, *found);
  return found;
}

Result<std::optional<Principal>> Access::machine_of(const std::string& bearer, const std::string& digest) {
  std::optional<Principal> found;
  ROOST_CHECK(db_.read([&](Tx& tx) -> Status {
    if (bearer.starts_with(kRunPrefix)) {
      ROOST_TRY(const auto attempt, attempt_for_token(tx, digest));
      if (attempt && !attempt->open) {
        return fail(ErrorCode::kGivenUp, "this is the token of an attempt of a run that has ended or was given up");
      }
      if (attempt) {
        found = Principal{"run", Role::kReader, attempt->run, attempt->attempt, "", "", "", {}};
      }
    } else if (bearer.starts_with(kNodePrefix)) {
      ROOST_TRY(const auto node, node_for_token(tx, digest));
      if (node) found = Principal{"node " + *node, Role::kReader, {}, 0, *node, "", "", {}};
    } else {
      ROOST_TRY(const auto allocation, allocation_for_token(tx, digest));
      if (allocation) found = Principal{"Slurm job " + *allocation, Role::kReader, {}, 0, "", *allocation, "", {}};
    }
    return {};
  }));
  return found;
}

Result<Access::LoginCode> Access::create_code(const Principal& who) {
  if (who.token.empty()) return fail(ErrorCode::kPermissionDenied, "only a person's token can log a browser in");
  LoginCode made{random_hex(16), clock_.now() + kCodeLives};
  ROOST_CHECK(db_.write([&](Tx& tx) -> Status {
    ROOST_CHECK(tx.run("DELETE FROM login_code WHERE expires <= ?", clock_.now()));
    ROOST_CHECK(tx.run("INSERT INTO login_code (hash, token, expires) VALUES (?, ?, ?)", hash(made.code), who.token,
                       made.expires));
    return {};
  }));
  return made;
}

Result<Access::NewSession> Access::log_in_by_code(const std::string& code) {
  std::optional<Principal> who;
  ROOST_CHECK(db_.write([&](Tx& tx) -> Status {
    {
      Rows rows = tx.query(
          "SELECT t.name, t.role, t.expires, t.id FROM login_code c JOIN token t ON t.id = c.token"
          " WHERE c.hash = ? AND c.expires > ? AND t.revoked = 0",
          hash(code), clock_.now());
      if (rows.next()) {
        who.emplace();
        who->name = rows.text(0);
        who->role = role_from_name(rows.bytes(1)).value_or(Role::kReader);
        who->expires = rows.maybe_integer(2);
        who->token = rows.text(3);
      }
      ROOST_CHECK(rows.status());
    }
    ROOST_CHECK(tx.run("DELETE FROM login_code WHERE hash = ?", hash(code)));
    return {};
  }));
  if (!who || (who->expires && *who->expires <= clock_.now())) {
    return fail(ErrorCode::kUnauthenticated,
                "this login link was used before or is too old; 'roost studio' prints a new one");
  }
  return open_session(*who);
}

Result<Access::NewSession> Access::log_in_by_token(const std::string& token) {
  ROOST_TRY(const Principal who, authenticate(token));
  if (who.token.empty()) {
    return fail(ErrorCode::kPermissionDenied,
                fmt::format("this is the token of a {}; logging in needs a person's token ('roost token create')",
                            who.run_row ? "run" : "node"));
  }
  return open_session(who);
}

Result<Access::NewSession> Access::open_session(const Principal& who) {
  NewSession made;
  made.principal = who;
  made.secret = std::string(kSessionPrefix) + random_hex(24);
  made.expires = std::min(clock_.now() + kSessionLives, who.expires.value_or(INT64_MAX));
  ROOST_CHECK(db_.write([&](Tx& tx) -> Status {
    ROOST_CHECK(tx.run("DELETE FROM session WHERE expires <= ?", clock_.now()));
    ROOST_CHECK(tx.run("INSERT INTO session (hash, token, created, expires) VALUES (?, ?, ?, ?)", hash(made.secret),
                       who.token, clock_.now(), made.expires));
    return {};
  }));
  return made;
}

Status Access::log_out(const std::string& secret) {
  ROOST_CHECK(db_.write([&](Tx& tx) -> Status {
    ROOST_CHECK(tx.run("DELETE FROM session WHERE hash = ?", hash(secret)));
    return {};
  }));
  forget_persons();
  return {};
}

Result<Access::NewToken> Access::create(const std::string& name, Role role,
                                        std::optional<Micros> lifetime) {
  NewToken made;
  made.secret = "roost_" + random_hex(24);
  made.token = {random_hex(6), name, role, clock_.now(), std::nullopt, false};
  if (lifetime) made.token.expires = made.token.created + *lifetime;
  ROOST_CHECK(db_.write([&](Tx& tx) -> Status {
    ROOST_CHECK(tx.run(
        "INSERT INTO token (id, hash, name, role, created, expires) VALUES (?, ?, ?, ?, ?, ?)",
        made.token.id, hash(made.secret), name, role_name(role), made.token.created,
        made.token.expires));
    return {};
  }));
  return made;
}

Result<std::vector<Token>> Access::list() {
  std::vector<Token> all;
  ROOST_CHECK(db_.read([&](Tx& tx) -> Status {
    Rows rows = tx.query(
        "SELECT id, name, role, created, expires, revoked FROM token ORDER BY created, id");
    while (rows.next()) {
      all.push_back({rows.text(0), rows.text(1),
                     role_from_name(rows.bytes(2)).value_or(Role::kReader), rows.integer(3),
                     rows.maybe_integer(4), rows.integer(5) != 0});
    }
    return rows.status();
  }));
  return all;
}

Status Access::revoke(const std::string& id) {
  ROOST_CHECK(db_.write([&](Tx& tx) -> Status {
    ROOST_CHECK(check_owner_is_left(tx, id, clock_.now()));
    ROOST_TRY(const std::int64_t changed, tx.run("UPDATE token SET revoked = 1 WHERE id = ?", id));
    if (changed > 0) return {};
    return fail(ErrorCode::kNotFound, fmt::format("there is no token \"{}\"; 'roost token ls' lists them", printable(id)));
  }));
  forget_persons();
  return {};
}

void Access::forget_persons() {
  const std::lock_guard lock(mutex_);
  ++revocations_;
  known_.clear();
}

}  // namespace roost
