#include "onnx/batch_trial.h"

#include <gtest/gtest.h>

#include "onnx/sample_inputs.h"
#include "onnx/test_onnx.h"
#include "onnx/test_onnx_model.h"

namespace roost {
namespace {

ModelFacts facts_of(std::vector<std::vector<std::int64_t>> inputs, std::vector<std::vector<std::int64_t>> outputs,
                    std::vector<std::string> rows) {
  ModelFacts facts;
  for (auto& shape : inputs)
    facts.inputs.push_back({"x" + std::to_string(facts.inputs.size()), DataType::kFp32, std::move(shape)});
  for (auto& shape : outputs)
    facts.outputs.push_back({"y" + std::to_string(facts.outputs.size()), DataType::kFp32, std::move(shape)});
  facts.input_rows = std::move(rows);
  facts.output_rows.assign(facts.outputs.size(), "batch");
  return facts;
}

TEST(MayGoTogether, WantsAFirstSizeThatVariesForAll) {
  EXPECT_TRUE(may_go_together(facts_of({{-1, 2}}, {{-1, 4}}, {"batch"})).together);
  EXPECT_TRUE(may_go_together(facts_of({{-1, 2}, {-1, -1}}, {{-1}}, {"batch", "batch"})).together);
  EXPECT_FALSE(may_go_together(facts_of({{1, 2}}, {{1, 4}}, {""})).together);
  EXPECT_FALSE(may_go_together(facts_of({{-1, 2}}, {{}}, {"batch"})).together);
  EXPECT_FALSE(may_go_together(facts_of({{-1, 2}, {-1}}, {{-1}}, {"batch", "length"})).together);
  EXPECT_FALSE(may_go_together(facts_of({}, {{-1}}, {})).together);
}

class TryTogetherTest : public testing::Test {
 protected:
  void SetUp() override {
    ROOST_NEEDS_ONNXRUNTIME(library);
    auto opened = OrtRuntime::open(library, 0);
    ASSERT_TRUE(opened);
    runtime_ = *opened;
  }
  BatchVerdict verdict(const TestModel& model) {
    auto session = OnnxSession::load(runtime_, watch_, folder_.write("model.onnx", model.bytes()));
    if (!session) return {false, session.error().message};
    return try_together(**session, (*session)->facts(), 32);
  }
  TestFolder folder_;
  RunCutoff watch_;
  std::shared_ptr<OrtRuntime> runtime_;
};

TEST_F(TryTogetherTest, AgreesWhereRowsAreComputedAlone) {
  const BatchVerdict adding = verdict(adding_model());
  EXPECT_TRUE(adding.together) << adding.why;
}

TEST_F(TryTogetherTest, SeesRowsThatMatterToEachOther) {
  TestModel model;  // each row depends on those before it, as where the first dimension is time
  model.weights<std::int64_t>("axis", ort::kInt64, {}, {0}).node("CumSum", {"x", "axis"}, {"y"});
  model.input("x", ort::kFloat, {"time", 2}).output("y", ort::kFloat, {"time", 2});
  const BatchVerdict summing = verdict(model);
  EXPECT_FALSE(summing.together);
  EXPECT_NE(summing.why.find("do not give the same"), std::string::npos) << summing.why;
}

TEST_F(TryTogetherTest, TriesLargerSizesWhereSmallOnesCannotBe) {
  TestModel model;  // takes columns 0 to 19 of as many as there are
  model.weights<std::int64_t>("columns", ort::kInt64, {2}, {0, 19})
      .node("Gather", {"x", "columns"}, {"y"}, {{"axis", 1}});
  model.input("x", ort::kFloat, {"batch", "width"}).output("y", ort::kFloat, {"batch", 2});
  const BatchVerdict gathering = verdict(model);
  EXPECT_TRUE(gathering.together) << gathering.why;
}

TEST_F(TryTogetherTest, SaysThatItCouldNotBeTried) {
  TestModel model;
  model.weights<std::int64_t>("columns", ort::kInt64, {1}, {1000})
      .node("Gather", {"x", "columns"}, {"y"}, {{"axis", 1}});
  model.input("x", ort::kFloat, {"batch", "width"}).output("y", ort::kFloat, {"batch", 1});
  const BatchVerdict gathering = verdict(model);
  EXPECT_FALSE(gathering.together);
  EXPECT_NE(gathering.why.find("could not be tried"), std::string::npos) << gathering.why;
}

}  // namespace
}  // namespace roost
