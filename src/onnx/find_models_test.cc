#include <gtest/gtest.h>

#include "onnx/model_file.h"
#include "onnx/onnx_servant.h"
#include "onnx/test_onnx.h"

namespace roost {
namespace {

TEST(FindOnnxModels, TakesAFile) {
  const TestFolder folder;
  const auto found = find_onnx_models(folder.write("birds.onnx", "m"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->at(0).name, "birds");
  EXPECT_EQ(found->at(0).version, "1");
  EXPECT_EQ(find_onnx_models(folder.path() + "/birds.onnx", "finches")->at(0).name, "finches");
}

TEST(FindOnnxModels, TakesAVersionAModelAndARepository) {
  const TestFolder folder;
  folder.write("models/birds/3/model.onnx", "m");
  folder.write("models/birds/12/net.onnx", "m");
  folder.write("models/birds/12/net.onnx.data", "w");
  folder.write("models/trees/1/model.onnx", "m");
  const auto version = find_onnx_models(folder.path() + "/models/birds/3");
  ASSERT_TRUE(version);
  EXPECT_EQ(version->at(0).name, "birds");
  EXPECT_EQ(version->at(0).version, "3");
  const auto model = find_onnx_models(folder.path() + "/models/birds/", "finches");
  ASSERT_TRUE(model);
  EXPECT_EQ(model->size(), 2U);
  EXPECT_EQ(model->at(0).name, "finches");
  const auto repository = find_onnx_models(folder.path() + "/models", "ignored");
  ASSERT_TRUE(repository);
  EXPECT_EQ(repository->size(), 3U);
  EXPECT_EQ(repository->at(2).name, "trees");
}

TEST(FindOnnxModels, FindsWhatWasRegisteredFromAFolder) {
  const TestFolder folder;
  folder.write("azureml-models/birds/3/outputs/net.onnx", "m");
  const auto found = find_onnx_models(folder.path() + "/azureml-models/birds/3", "birds");
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->at(0).version, "3");
  EXPECT_EQ(model_file(found->at(0).path), folder.path() + "/azureml-models/birds/3/outputs/net.onnx");
}

TEST(FindOnnxModels, SaysWhatIsMissing) {
  const TestFolder folder;
  EXPECT_EQ(find_onnx_models(folder.path() + "/none").error().code, ErrorCode::kNotFound);
  folder.write("m/model.pt", "m");
  const auto torch = find_onnx_models(folder.path() + "/m");
  ASSERT_FALSE(torch);
  EXPECT_NE(torch.error().message.find("export"), std::string::npos);
  folder.write("m/a.onnx", "m");
  folder.write("m/b.onnx", "m");
  EXPECT_EQ(find_onnx_models(folder.path() + "/m").error().code, ErrorCode::kInvalidArgument);
  folder.write("m/model.onnx", "m");
  EXPECT_TRUE(find_onnx_models(folder.path() + "/m"));
}

}  // namespace
}  // namespace roost
