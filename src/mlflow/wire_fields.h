#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "mlflow/wire_status.h"

namespace roost::mlflow {

// The fields of a request as MLflow's protocol has them: those nobody asks for are ignored, null is absent, integers
// come as numbers or as decimal strings, and numbers may be "NaN", "Infinity" or "-Infinity". Every error names the
// field.
class WireFields {
 public:
  WireFields() : object_(Json::object()) {}
  // Anything but an object has no fields.
  explicit WireFields(Json object);
  // A query: a field that is repeated is a list.
  explicit WireFields(const std::multimap<std::string, std::string>& query);

  bool has(const char* name) const { return find(name) != nullptr; }
  // "" if it is absent; an error if it is no text.
  Result<std::string> text(const char* name) const;
  Result<std::string> required_text(const char* name) const;
  Result<std::optional<std::int64_t>> integer(const char* name) const;
  Result<double> required_number(const char* name) const;
  Result<bool> flag(const char* name) const;
  Result<std::vector<std::string>> texts(const char* name) const;
  // The objects of a list; one that is none is refused.
  Result<std::vector<WireFields>> objects(const char* name) const;
  Result<WireFields> object(const char* name) const;
  // None for what MLflow does not know either.
  std::optional<WireStatus> status(const char* name) const;
  // `run_id`, or what older clients call it.
  Result<std::string> run_id() const;

 private:
  const Json* find(const char* name) const;
  Json object_;
};

// How many results are asked for: `fallback` if nothing is said, an error beyond 1 to `most`.
Result<std::int64_t> max_results(const WireFields& fields, std::int64_t fallback, std::int64_t most);

// Pages are told apart by how many results came before them.
Result<std::int64_t> page_offset(const WireFields& fields);
std::string page_token(std::int64_t offset);

}  // namespace roost::mlflow
