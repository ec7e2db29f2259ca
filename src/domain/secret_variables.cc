#include "domain/secret_variables.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "domain/secret_names.h"

namespace roost {
namespace {

std::string place_of(const std::string& variable) { return "variable/" + variable; }

bool is_sealed_text(const Json& value) { return value.is_string() && is_sealed(value.get_ref<const std::string&>()); }

}  // namespace

Status check_values_are_given(const Json& variables) {
  for (const auto& item : variables.items()) {
    if (!item.value().is_string()) continue;
    const auto& value = item.value().get_ref<const std::string&>();
    if (is_sealed(value)) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("the value of {} begins with \"{}\", which is how this server keeps secrets; give the value itself",
                              printable(item.key()), kSealedPrefix));
    }
    if (value == kMaskedValue && names_secret(item.key())) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("the value of {} is the mask of a secret and not the secret: give its value, or start the run "
                              "it is from once more with 'roost rerun', which keeps it",
                              printable(item.key())));
    }
  }
  return {};
}

Status check_values_are_given(const RunSpec& spec) {
  ROOST_CHECK(check_values_are_given(spec.environment_variables));
  return check_values_are_given(object_at(spec.environment, "variables"));
}

void seal_variables(Json& variables, const Sealer& sealer, const std::vector<std::string>& also) {
  if (!variables.is_object()) return;
  for (auto& item : variables.items()) {
    if (!item.value().is_string() || is_sealed_text(item.value())) continue;
    const bool is_secret = names_secret(item.key()) || std::find(also.begin(), also.end(), item.key()) != also.end();
    if (is_secret) item.value() = sealer.seal(item.value().get_ref<const std::string&>(), place_of(item.key()));
  }
}

void seal_variables(RunSpec& spec, const Sealer& sealer) {
  seal_variables(spec.environment_variables, sealer, spec.sealed_variables);
  if (spec.environment.contains("variables")) seal_variables(spec.environment["variables"], sealer, spec.sealed_variables);
}

void mask_secret_values(Json& variables) {
  if (!variables.is_object()) return;
  for (auto& item : variables.items()) {
    if (is_sealed_text(item.value()) || (item.value().is_string() && names_secret(item.key()))) item.value() = kMaskedValue;
  }
}

Result<OpenedVariables> open_variables(const Json& variables, const Sealer& sealer, const std::string& own) {
  OpenedVariables opened;
  for (const auto& item : variables.items()) {
    if (!is_sealed_text(item.value())) {
      const bool is_secret = names_secret(item.key()) && (own.empty() || item.value() != own);
      (is_secret ? opened.secret : opened.plain)[item.key()] = item.value();
      continue;
    }
    auto value = sealer.open(item.value().get_ref<const std::string&>(), place_of(item.key()));
    if (!value) {
      return fail(value.error().code,
                  fmt::format("the secret variable {} cannot be read: {}", printable(item.key()), value.error().message));
    }
    opened.secret[item.key()] = *value;
  }
  return opened;
}

}  // namespace roost
