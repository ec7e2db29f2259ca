#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace roost::mlflow {

// What the path of an mlflow-artifacts: URI names: README.md, "Where files are".
struct ArtifactPlace {
  enum class Owner {
    kNobody,   // a folder above those of runs and models
    kRun,      // `name` is its id
    kModel,    // a logged model: `name` is its id
    kVersion,  // of a registered model `name`
  };
  Owner owner = Owner::kNobody;
  std::string name;
  std::int64_t version = 0;
  std::string path;  // below the owner's files; "" is all of them
};

// `path` as it comes out of the request, decoded once. What could lead elsewhere is kInvalidArgument: "..", an absolute
// path, control characters, and whatever becomes one of these by being decoded again.
Result<ArtifactPlace> parse_artifact_place(std::string_view path);

// The same for a path below a run: "" or "model/MLmodel".
Status check_artifact_name(std::string_view path);

}  // namespace roost::mlflow
