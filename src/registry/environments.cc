#include "registry/environments.h"

#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "domain/names.h"
#include "records/environment_records.h"

namespace roost {
namespace {

constexpr std::size_t kMaxDefinition = 1 << 20;

bool is_reserved(std::string_view name) {
  const std::string plain = lower(std::string(name));
  return plain.starts_with("azureml") || plain.starts_with("microsoft");
}

Environment from_row(EnvironmentRow row) {
  Environment environment;
  environment.name = std::move(row.name);
  environment.version = row.version;
  environment.definition = std::move(row.definition);
  environment.created = row.created;
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
  ROOST_TRY(auto row, environment_row(tx, workspace, name, version));
  if (row) return from_row(std::move(*row));
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
  EnvironmentRow made{name, 1, definition, sha256_hex(text), now};
  ROOST_TRY(auto newest, environment_row(tx, workspace, name, std::nullopt));
  if (newest && newest->digest == made.digest) return from_row(std::move(*newest));
  if (newest) made.version = newest->version + 1;
  ROOST_CHECK(insert_environment(tx, workspace, made));
  return from_row(std::move(made));
}

Result<std::vector<Environment>> list_environments(Tx& tx, const CuratedEnvironments& curated,
                                                   std::string_view workspace,
                                                   std::string_view name) {
  ROOST_TRY(auto rows, environment_rows(tx, workspace, name));
  std::vector<Environment> all;
  for (auto& row : rows) all.push_back(from_row(std::move(row)));
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
