#include "onnx/library.h"

#include <gtest/gtest.h>

#include "onnx/test_onnx.h"

namespace roost {
namespace {

TEST(OnnxruntimePlaces, AreTheSettingThenBesideTheProgramThenTheSystem) {
  const std::vector<std::string> found = {"/opt/lib/roost/libonnxruntime.so.1", "/onnxruntime/libonnxruntime.so.1",
                                          "/onnxruntime/libonnxruntime.so.1", "libonnxruntime.so.1"};
  EXPECT_EQ(onnxruntime_places("", "", "/opt/bin/roost"), found);
  EXPECT_EQ(onnxruntime_places("", "", "/w/build/release/src/cli/roost")[1],
            "/w/build/onnxruntime/libonnxruntime.so.1");
  EXPECT_EQ(onnxruntime_places("", "", "/w/build/release/bench/onnx_loop")[2],
            "/w/build/onnxruntime/libonnxruntime.so.1");
  EXPECT_EQ(onnxruntime_places("", "/x/lib.so", "/opt/bin/roost"), std::vector<std::string>{"/x/lib.so"});
  EXPECT_EQ(onnxruntime_places("/y/lib.so", "/x/lib.so", "/opt/bin/roost"), std::vector<std::string>{"/y/lib.so"});
  EXPECT_EQ(onnxruntime_places("/tmp", "", ""), std::vector<std::string>{"/tmp/libonnxruntime.so.1"});
}

TEST(OpenOnnxruntime, SaysWhatToDoWhenItIsNotThere) {
  const auto library = open_onnxruntime("/nowhere/libonnxruntime.so.1");
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_NE(library.error().message.find("/nowhere/libonnxruntime.so.1"), std::string::npos);
  EXPECT_NE(library.error().message.find("tools/onnxruntime"), std::string::npos);
}

TEST(OpenOnnxruntime, SaysWhatIsWrongWithAFile) {
  const TestFolder folder;
  const auto library = open_onnxruntime(folder.write("libonnxruntime.so.1", "text"));
  ASSERT_FALSE(library);
  EXPECT_NE(library.error().message.find("libonnxruntime.so.1"), std::string::npos) << library.error().message;
}

}  // namespace
}  // namespace roost
