#include "mlflow/artifact_place.h"

#include <gtest/gtest.h>

namespace roost::mlflow {
namespace {

using Owner = ArtifactPlace::Owner;

std::string of(std::string_view path) {
  const auto place = parse_artifact_place(path);
  if (!place) return place.error().code == ErrorCode::kInvalidArgument ? "refused" : "?";
  const char* owner = "";
  switch (place->owner) {
    case Owner::kNobody: owner = "nobody"; break;
    case Owner::kRun: owner = "run"; break;
    case Owner::kModel: owner = "model"; break;
    case Owner::kVersion: owner = "version"; break;
  }
  return std::string(owner) + " " + place->name + (place->version ? " " + std::to_string(place->version) : "") + " " + place->path;
}

TEST(ArtifactPlace, NamesTheOwner) {
  EXPECT_EQ(of("0/abc/artifacts"), "run abc ");
  EXPECT_EQ(of("0/abc/artifacts/model/MLmodel"), "run abc model/MLmodel");
  EXPECT_EQ(of("0/abc/artifacts/x/artifacts/y"), "run abc x/artifacts/y");
  EXPECT_EQ(of("3/models/m-1/artifacts/MLmodel"), "model m-1 MLmodel");
  EXPECT_EQ(of("some/place/abc/artifacts/a"), "run abc a") << "chosen by whoever made the experiment";
  EXPECT_EQ(of("registry/a%20b/3/MLmodel"), "version a b 3 MLmodel");
  EXPECT_EQ(of("registry/a/latest/MLmodel"), "nobody  ");
  EXPECT_EQ(of("0"), "nobody  ");
  EXPECT_EQ(of("0/abc"), "nobody  ");
  EXPECT_EQ(of(""), "nobody  ");
  EXPECT_EQ(of("0/abc/artifacts/50%.txt"), "run abc 50%.txt");
}

TEST(ArtifactPlace, NothingLeadsElsewhere) {
  for (const char* path : {"0/abc/artifacts/../../x", "/etc/passwd", "0/abc/artifacts//a", "0/abc/artifacts/./a", "0/abc/artifacts/",
                           "0/abc/artifacts/%2e%2e/x", "0/abc/artifacts/%252e%252e/x", "0/abc/artifacts/a%2F..%2Fb",
                           "0/abc/artifacts/%2Fetc", "0/abc/artifacts/a\nb", "0/abc/artifacts/a%00b", "0/abc/artifacts/\xFF"}) {
    EXPECT_EQ(of(path), "refused") << path;
  }
}

}  // namespace
}  // namespace roost::mlflow
