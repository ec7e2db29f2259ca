#include "onnx/onnx_session.h"

#include <gtest/gtest.h>

#include "onnx/test_onnx.h"
#include "onnx/test_onnx_model.h"

namespace roost {
namespace {

class OnnxSessionTest : public testing::Test {
 protected:
  void SetUp() override {
    ROOST_NEEDS_ONNXRUNTIME(library);
    auto opened = OrtRuntime::open(library, 0);
    ASSERT_TRUE(opened) << opened.error().message;
    runtime_ = *opened;
  }
  Result<std::unique_ptr<OnnxSession>> load_bytes(const std::string& bytes) {
    return OnnxSession::load(runtime_, watch_, folder_.write("model.onnx", bytes));
  }
  std::unique_ptr<OnnxSession> load(const TestModel& model) {
    auto session = load_bytes(model.bytes());
    EXPECT_TRUE(session) << session.error().message;
    return session ? std::move(*session) : nullptr;
  }

  TestFolder folder_;
  RunCutoff watch_;
  std::shared_ptr<OrtRuntime> runtime_;
  const std::vector<std::string> y_ = {"y"};
};

TEST_F(OnnxSessionTest, TellsWhatAModelTakesAndGives) {
  const auto session = load(adding_model());
  ASSERT_TRUE(session);
  const ModelFacts& facts = session->facts();
  ASSERT_EQ(facts.inputs.size(), 1U);
  EXPECT_EQ(facts.inputs[0].name, "x");
  EXPECT_EQ(facts.inputs[0].type, DataType::kFp32);
  EXPECT_EQ(facts.inputs[0].shape, (std::vector<std::int64_t>{-1, 2}));
  EXPECT_EQ(facts.outputs[0].name, "y");
  EXPECT_EQ(facts.input_rows, std::vector<std::string>{"batch"});
  EXPECT_EQ(facts.output_rows, std::vector<std::string>{"batch"});
  EXPECT_EQ(facts.producer, "roost-test");
  EXPECT_EQ(facts.graph, "test");
  EXPECT_EQ(facts.description, "");
}

TEST_F(OnnxSessionTest, Computes) {
  const auto session = load(adding_model());
  ASSERT_TRUE(session);
  const std::vector<Tensor> inputs = {floats("x", {2, 2}, {1, 2, 3, 4})};
  const auto outputs = session->run(inputs, y_, in_a_minute());
  ASSERT_TRUE(outputs) << outputs.error().message;
  EXPECT_EQ(outputs->at(0).shape, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(values_of<float>(outputs->at(0)), (std::vector<float>{2, 4, 6, 8}));
}

TEST_F(OnnxSessionTest, OutputsOutliveTheSession) {
  auto session = load(adding_model());
  ASSERT_TRUE(session);
  auto outputs = session->run(std::vector{floats("x", {1, 2}, {1, 2})}, y_, in_a_minute());
  session.reset();
  runtime_.reset();
  ASSERT_TRUE(outputs);
  EXPECT_EQ(values_of<float>(outputs->at(0)), (std::vector<float>{2, 4}));
}

TEST_F(OnnxSessionTest, TakesBytesFromAnyAddress) {
  const auto session = load(adding_model());
  ASSERT_TRUE(session);
  for (std::size_t offset = 0; offset < 8; ++offset) {
    auto body = std::make_shared<std::string>(offset + 8, '\0');
    const std::vector<float> values = {5, 7};
    std::memcpy(body->data() + offset, values.data(), 8);
    const Tensor input{"x", DataType::kFp32, {1, 2}, std::string_view(*body).substr(offset), {}, body};
    const auto outputs = session->run(std::vector{input}, y_, in_a_minute());
    ASSERT_TRUE(outputs);
    EXPECT_EQ(values_of<float>(outputs->at(0)), (std::vector<float>{10, 14}));
  }
}

TEST_F(OnnxSessionTest, TakesNoRowsAtAll) {
  const auto session = load(adding_model());
  ASSERT_TRUE(session);
  const auto outputs = session->run(std::vector{floats("x", {0, 2}, {})}, y_, in_a_minute());
  ASSERT_TRUE(outputs) << outputs.error().message;
  EXPECT_EQ(outputs->at(0).shape, (std::vector<std::int64_t>{0, 2}));
  EXPECT_TRUE(outputs->at(0).data.empty());
}

TEST_F(OnnxSessionTest, CarriesStringsOfAnyBytes) {
  TestModel model;
  model.node("Identity", {"x"}, {"y"}).input("x", ort::kString, {"n"}).output("y", ort::kString, {"n"});
  const auto session = load(model);
  ASSERT_TRUE(session);
  Tensor input{"x", DataType::kBytes, {4}, {}, {"Meise", "", std::string("a\0b", 3), "Grünfink"}, nullptr};
  const auto outputs = session->run(std::vector{input}, y_, in_a_minute());
  ASSERT_TRUE(outputs) << outputs.error().message;
  EXPECT_EQ(outputs->at(0).strings, input.strings);
  input.strings.pop_back();
  EXPECT_EQ(session->run(std::vector{input}, y_, in_a_minute()).error().code, ErrorCode::kInvalidArgument);
  const Tensor none{"x", DataType::kBytes, {0}, {}, {}, nullptr};
  const auto nothing = session->run(std::vector{none}, y_, in_a_minute());
  ASSERT_TRUE(nothing) << nothing.error().message;
  EXPECT_TRUE(nothing->at(0).strings.empty());
}

TEST_F(OnnxSessionTest, CarriesEveryType) {
  const std::vector<std::pair<DataType, ort::ElementType>> types = {
      {DataType::kBool, ort::kBool},     {DataType::kUint8, ort::kUint8},   {DataType::kUint16, ort::kUint16},
      {DataType::kUint32, ort::kUint32}, {DataType::kUint64, ort::kUint64}, {DataType::kInt8, ort::kInt8},
      {DataType::kInt16, ort::kInt16},   {DataType::kInt32, ort::kInt32},   {DataType::kInt64, ort::kInt64},
      {DataType::kFp16, ort::kFloat16},  {DataType::kBf16, ort::kBfloat16}, {DataType::kFp32, ort::kFloat},
      {DataType::kFp64, ort::kDouble}};
  for (const auto& [type, element] : types) {
    TestModel model;
    model.node("Identity", {"x"}, {"y"}).input("x", element, {"n"}).output("y", element, {"n"});
    const auto session = load(model);
    ASSERT_TRUE(session) << data_type_name(type);
    EXPECT_EQ(session->facts().inputs[0].type, type);
    const std::vector<std::uint8_t> bytes(element_size(type) * 3, 1);
    const auto outputs = session->run(std::vector{tensor_of("x", type, {3}, bytes)}, y_, in_a_minute());
    ASSERT_TRUE(outputs) << data_type_name(type) << ": " << outputs.error().message;
    EXPECT_EQ(outputs->at(0).type, type);
    EXPECT_EQ(values_of<std::uint8_t>(outputs->at(0)), bytes);
  }
}

TEST_F(OnnxSessionTest, FindsWeightsBesideTheModel) {
  TestModel model;
  model.weights_in("weights.bin", "w", ort::kFloat, {2, 1}).node("MatMul", {"x", "w"}, {"y"});
  model.input("x", ort::kFloat, {"batch", 2}).output("y", ort::kFloat, {"batch", 1});
  EXPECT_FALSE(load_bytes(model.bytes()));  // without them
  const std::vector<float> weights = {10, 1};
  folder_.write("weights.bin", {reinterpret_cast<const char*>(weights.data()), 8});
  const auto session = load(model);
  ASSERT_TRUE(session);
  const auto outputs = session->run(std::vector{floats("x", {1, 2}, {2, 3})}, y_, in_a_minute());
  ASSERT_TRUE(outputs);
  EXPECT_EQ(values_of<float>(outputs->at(0)), std::vector<float>{23});
}

TEST_F(OnnxSessionTest, RefusesWhatIsNoModelInOnnxRuntimesWords) {
  const auto missing = OnnxSession::load(runtime_, watch_, folder_.path() + "/none.onnx");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_NE(missing.error().message.find("none.onnx"), std::string::npos);
  const auto garbage = load_bytes("no model at all");
  ASSERT_FALSE(garbage);
  EXPECT_EQ(garbage.error().code, ErrorCode::kDataMismatch);
  EXPECT_NE(garbage.error().message.find("Protobuf"), std::string::npos) << garbage.error().message;
  EXPECT_FALSE(load_bytes(""));
  const std::string whole = adding_model().bytes();
  for (std::size_t size = 1; size < whole.size(); size += 7) EXPECT_FALSE(load_bytes(whole.substr(0, size))) << size;
}

TEST_F(OnnxSessionTest, RefusesInputsThatDoNotFit) {
  const auto session = load(adding_model());
  ASSERT_TRUE(session);
  const auto run = [&](Tensor input) { return session->run(std::vector{std::move(input)}, y_, in_a_minute()); };
  EXPECT_EQ(run(floats("z", {1, 2}, {1, 2})).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(run(floats("x", {1, 3}, {1, 2, 3})).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(run(floats("x", {1, 2}, {1})).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(run(tensor_of<double>("x", DataType::kFp64, {1, 2}, {1, 2})).error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(run(floats("x", {1, 2}, {1, 2})));
}

// Multiplies a matrix with itself many times, in nodes of its own each.
TEST_F(OnnxSessionTest, IsCutOffWhenTheTimeIsUp) {
  TestModel model;
  for (int i = 0; i < 400; ++i)
    model.node("MatMul", {i == 0 ? "x" : "v" + std::to_string(i), "x"}, {i == 399 ? "y" : "v" + std::to_string(i + 1)});
  model.input("x", ort::kFloat, {"n", "n"}).output("y", ort::kFloat, {"n", "n"});
  const auto session = load(model);
  ASSERT_TRUE(session);
  const std::vector<float> zeros(700UL * 700UL, 0);
  const auto start = std::chrono::steady_clock::now();
  const auto outputs =
      session->run(std::vector{floats("x", {700, 700}, zeros)}, y_, start + std::chrono::milliseconds(50));
  ASSERT_FALSE(outputs);
  EXPECT_EQ(outputs.error().code, ErrorCode::kDeadlineExceeded);
  EXPECT_TRUE(session->run(std::vector{floats("x", {1, 1}, {2})}, y_, in_a_minute()));  // the next one is not affected
}

long resident_kilobytes() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("VmRSS:")) return std::stol(line.substr(6));
  }
  return 0;
}

TEST_F(OnnxSessionTest, HoldsNoMoreAfterManyBatchSizes) {
#ifdef ROOST_SANITIZED
  GTEST_SKIP() << "a sanitizer keeps what was freed";
#endif
  TestModel model;
  const std::vector<float> weights(256UL * 256UL, 0.01F);
  model.weights("w", ort::kFloat, {256, 256}, weights);
  for (int i = 0; i < 4; ++i)
    model.node("MatMul", {i == 0 ? "x" : "v" + std::to_string(i), "w"}, {i == 3 ? "y" : "v" + std::to_string(i + 1)});
  model.input("x", ort::kFloat, {"batch", 256}).output("y", ort::kFloat, {"batch", 256});
  const auto session = load(model);
  ASSERT_TRUE(session);
  const std::vector<float> values(256UL * 256UL, 1);
  const auto run_sizes = [&](int count) {
    for (int i = 0; i < count; ++i) {
      const std::int64_t rows = 1 + (i * 37) % 256;
      const Tensor input{
          "x",         DataType::kFp32,
          {rows, 256}, {reinterpret_cast<const char*>(values.data()), static_cast<std::size_t>(rows) * 1024},
          {},          nullptr};
      ASSERT_TRUE(session->run(std::vector{input}, y_, in_a_minute()));
    }
  };
  run_sizes(256);
  const long before = resident_kilobytes();
  run_sizes(2000);
  EXPECT_LT(resident_kilobytes() - before, 4096);
}

}  // namespace
}  // namespace roost
