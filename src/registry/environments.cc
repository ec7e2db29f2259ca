#include "registry/environments.h"

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "domain/names.h"

namespace roost {
namespace {

constexpr std::size_t kMaxDefinition = 1 << 20;

bool is_reserved(std::string_view name) {
  const std::string plain = lower(std::string(name));
  return plain.starts_with("azureml") || plain.starts_with("microsoft");
}

Environment read_environment(const Rows& rows) {
  Environment environment;
  environment.name = rows.text(0);
  environment.version = rows.integer(1);
  environment.definition = stored_json(rows.bytes(2));
  environment.created = rows.integer(3);
  return environment;
}

Environment from_curated(const CuratedEnvironment& curated) {
  Environment environment;
  environment.name = curated.name;
  environment.definition = curated.definition;
  environment.curated = true;
  environment.alias_of = curated.alias_of;
  environment.notice = curated.notice;
  return environment;
}

}  // namespace

Json environment_json(const Environment& environment) {
  return {{"name", environment.name},
          {"version", std::to_string(environment.version)},
          {"definition", environment.definition},
          {"curated", environment.curated},
          {"alias_of", environment.alias_of.empty() ? Json() : Json(environment.alias_of)},
          {"notice", environment.notice.empty() ? Json() : Json(environment.notice)},
          {"created_at", environment.curated ? Json() : Json(format_time(environment.created))}};
}

Result<Environment> find_environment(Tx& tx, const CuratedEnvironments& curated,
                                     std::string_view workspace, std::string_view name,
                                     std::optional<std::int64_t> version) {
  {
    Rows rows = version ? tx.query("SELECT name, version, definition_json, created FROM environment WHERE"
                                   " workspace = ? AND name = ? AND version = ?",
                                   workspace, name, *version)
                        : tx.query("SELECT name, version, definition_json, created FROM environment WHERE"
                                   " workspace = ? AND name = ? ORDER BY version DESC LIMIT 1",
                                   workspace, name);
    if (rows.next()) return read_environment(rows);
    ROOST_CHECK(rows.status());
  }
  // A curated name has no versions of its own: any that real code names means the one there is.
  if (const auto found = curated.find(name)) return from_curated(*found);
  return fail(ErrorCode::kNotFound,
              fmt::format("there is no environment \"{}\"{} in the workspace {}; register it, or use one "
                          "of the curated ones: {}",
                          printable(name), version ? fmt::format(" of version {}", *version) : "",
                          workspace, fmt::format("{}", fmt::join(curated.names(), ", "))));
}

Result<Environment> register_environment(Tx& tx, const CuratedEnvironments& curated,
                                         const std::string& workspace, const std::string& name,
                                         const Json& definition, Micros now) {
  ROOST_CHECK(check_registry_name(name, "environment"));
  if (is_reserved(name)) {
    // What a script got from the curated list and hands in unchanged needs no registration.
    if (const auto found = curated.find(name); found && found->definition == definition) {
      return from_curated(*found);
    }
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("the environment name \"{}\" is reserved: names that start with AzureML or "
                            "Microsoft are for curated environments. Give it another name, such as "
                            "env.clone(\"my-env\")",
                            name));
  }
  const std::string text = to_text(definition);
  if (text.size() > kMaxDefinition) {
    return fail(ErrorCode::kTooLarge, "the definition of an environment is at most 1 MiB");
  }
  const std::string digest = sha256_hex(text);
  std::int64_t version = 1;
  {
    Rows rows = tx.query("SELECT name, version, definition_json, created, digest FROM environment WHERE"
                         " workspace = ? AND name = ? ORDER BY version DESC LIMIT 1",
                         workspace, name);
    if (rows.next()) {
      if (rows.text(4) == digest) return read_environment(rows);
      version = rows.integer(1) + 1;
    }
    ROOST_CHECK(rows.status());
  }
  ROOST_CHECK(tx.run("INSERT INTO environment VALUES (?, ?, ?, ?, ?, ?)", workspace, name, version, text,
                     digest, now));
  Environment environment;
  environment.name = name;
  environment.version = version;
  environment.definition = definition;
  environment.created = now;
  return environment;
}

Result<std::vector<Environment>> list_environments(Tx& tx, const CuratedEnvironments& curated,
                                                   std::string_view workspace,
                                                   std::string_view name) {
  std::vector<Environment> all;
  Rows rows = name.empty()
                  ? tx.query("SELECT name, version, definition_json, created FROM environment e WHERE"
                             " workspace = ? AND version = (SELECT max(version) FROM environment x WHERE"
                             " x.workspace = e.workspace AND x.name = e.name) ORDER BY name",
                             workspace)
                  : tx.query("SELECT name, version, definition_json, created FROM environment WHERE"
                             " workspace = ? AND name = ? ORDER BY version DESC",
                             workspace, name);
  while (rows.next()) all.push_back(read_environment(rows));
  ROOST_CHECK(rows.status());
  if (name.empty()) {
    for (const auto& known : curated.names()) {
      if (const auto found = curated.find(known)) all.push_back(from_curated(*found));
    }
  } else if (const auto found = curated.find(name)) {
    all.push_back(from_curated(*found));
  }
  return all;
}

}  // namespace roost
