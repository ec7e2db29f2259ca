#pragma once

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "db/database.h"

namespace roost {

enum class Role { kReader, kContributor, kOwner };
std::string_view role_name(Role role);
std::optional<Role> role_from_name(std::string_view name);

// Who is calling. A run's token has `run_row` set and is good for that run only; a node's has `node`.
struct Principal {
  std::string name;
  Role role = Role::kReader;
  std::optional<std::int64_t> run_row;
  std::int64_t attempt = 0;
  std::string node;
  std::string allocation;  // a Slurm job that may bring up nodes
  std::string token;       // the id of a person's token
  std::optional<Micros> expires;
  bool is_person() const { return !run_row && node.empty() && allocation.empty(); }
};

struct Token {
  std::string id;
  std::string name;
  Role role = Role::kReader;
  Micros created = 0;
  std::optional<Micros> expires;
  bool revoked = false;
};
Json token_json(const Token& token);

// Makes, checks and revokes tokens, and the sessions of browsers that were logged in with one. Only hashes
// are stored. Thread-safe.
class Access {
 public:
  // `secret` (kept by the server in a file of mode 0600) makes the tokens of nodes and attempts.
  Access(Database& db, const Clock& clock, std::string secret)
      : db_(db), clock_(clock), secret_(std::move(secret)) {}

  // The owner's token, made on first start into `file` (mode 0600).
  Status ensure_owner_token(const std::filesystem::path& file);

  // kUnauthenticated for a missing, unknown, expired or revoked one and that of a node that was given up; kGivenUp for
  // that of an attempt that is over. Whoever is refused once stays refused: what was revoked before the call is.
  Result<Principal> authenticate(std::string_view bearer);

  struct NewToken {
    Token token;
    std::string secret;  // shown once
  };
  Result<NewToken> create(const std::string& name, Role role, std::optional<Micros> lifetime);
  Result<std::vector<Token>> list();
  // kFailedPrecondition for the last owner's token that is good.
  Status revoke(const std::string& id);

  // A browser logs in with a token, or with a code that someone who has one made for it. What a session gives
  // to authenticate() in place of a token ends with the session, with its token, and at `expires`.
  struct NewSession {
    Principal principal;
    std::string secret;
    Micros expires = 0;
  };
  struct LoginCode {
    std::string code;
    Micros expires = 0;
  };
  Result<LoginCode> create_code(const Principal& who);  // good once
  Result<NewSession> log_in_by_code(const std::string& code);
  Result<NewSession> log_in_by_token(const std::string& token);
  Status log_out(const std::string& secret);

  // Good for stopping the server, whatever became of the owner's token: for whoever can read the file of the `secret`, who
  // might as well end the process or change the database.
  std::string stop_token() const;
  std::string node_token(const std::string& node) const;
  std::string allocation_token(const std::string& name) const;
  std::string attempt_token(const std::string& run, std::int64_t attempt) const;
  static std::string hash(std::string_view token);
  // Tells texts apart without telling what is in them, as a plain digest of a short secret would.
  std::string fingerprint(std::string_view text) const;
  // Whether it looks like the token of a run, a node or a job of Slurm.
  static bool is_machines(std::string_view token);

 private:
  Result<std::optional<Principal>> person_of(const std::string& bearer, const std::string& hash);
  Result<std::optional<Principal>> machine_of(const std::string& bearer, const std::string& hash);
  void forget_persons();
  Result<NewSession> open_session(const Principal& who);

  Database& db_;
  const Clock& clock_;
  const std::string secret_;

  std::mutex mutex_;
  // Persons by hash. Emptied after a token was revoked: what was read from the database before that must not come in
  // afterwards, which `revocations_` tells. Runs and nodes end at any time and are looked up at every call.
  std::unordered_map<std::string, Principal> known_;
  std::uint64_t revocations_ = 0;
};

}  // namespace roost
