#include "score/script_swagger.h"

#include <gtest/gtest.h>

namespace roost {
namespace {

TEST(ScriptSwagger, PutsThePrefixBeforeThePaths) {
  const ScriptSwagger swagger(stored_json(R"({"2": {"own": false, "document": {"paths": {"/score": 1, "/": 2}}},
                                              "3": {"own": true, "document": {"paths": {"/score": 1}}}, "4": 7})"));
  EXPECT_EQ(swagger.document("", "").value_or(""), R"({"paths":{"/":2,"/score":1}})");
  EXPECT_EQ(swagger.document("2.0", "/endpoints/birds/").value_or(""),
            R"({"paths":{"/endpoints/birds/":2,"/endpoints/birds/score":1}})");
  EXPECT_EQ(swagger.document("3", "/endpoints/birds").value_or(""), R"({"paths":{"/score":1}})");
  EXPECT_FALSE(swagger.document("4", ""));
  EXPECT_FALSE(ScriptSwagger(Json("text")).document("", ""));
}

}  // namespace
}  // namespace roost
