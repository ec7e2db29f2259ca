#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace roost::mlflow {

// Where the source of a model version leads. README.md of this folder has the addresses.
struct SourceUri {
  enum Kind {
    kRunFiles,     // `owner` is a run, `path` is below its artifacts
    kLoggedModel,  // `owner` is its id, `path` is below its files
    kVersion,      // `owner` is a registered model, `version` its version, `path` is below its content
    kElsewhere,    // in some store that Roost does not know; its clients go there themselves
  };
  Kind kind = kElsewhere;
  std::string owner;
  std::int64_t version = 0;
  std::string path;
};

// kInvalidArgument for paths of this or another machine, for what leads out by "..", however it is encoded, and for
// what means nothing.
Result<SourceUri> parse_source_uri(std::string_view source);

}  // namespace roost::mlflow
