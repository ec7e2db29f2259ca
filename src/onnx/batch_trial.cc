#include "onnx/batch_trial.h"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "onnx/batch.h"
#include "onnx/sample_inputs.h"

namespace roost {
namespace {

using Steady = std::chrono::steady_clock;

constexpr auto kLongest = std::chrono::seconds(30);  // of one run
constexpr std::int64_t kRows = 8;                    // that the gain is measured with
constexpr double kWorthwhile = 0.8;                  // of what the rows cost alone

std::vector<std::string> names_of(const std::vector<TensorSpec>& specs) {
  std::vector<std::string> names;
  for (const TensorSpec& spec : specs) names.push_back(spec.name);
  return names;
}

template <class T>
bool are_near(std::string_view a, std::string_view b) {
  for (std::size_t i = 0; i < a.size(); i += sizeof(T)) {
    T x, y;
    std::memcpy(&x, a.data() + i, sizeof(T));
    std::memcpy(&y, b.data() + i, sizeof(T));
    if (std::isnan(x) && std::isnan(y)) continue;
    if (x != y && !(std::abs(x - y) <= 1e-4 + 1e-3 * std::max(std::abs(x), std::abs(y)))) return false;
  }
  return true;
}

float from_half(std::uint16_t bits, DataType type) {
  if (type == DataType::kBf16) {
    const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16U;
    float value = 0;
    std::memcpy(&value, &wide, sizeof(value));
    return value;
  }
  const int exponent = (bits >> 10U) & 0x1F;
  const float fraction = static_cast<float>(bits & 0x3FFU);
  const float size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  return (bits & 0x8000U) != 0 ? -size : size;
}

bool are_near_halves(std::string_view a, std::string_view b, DataType type) {
  for (std::size_t i = 0; i < a.size(); i += 2) {
    std::uint16_t x = 0, y = 0;
    std::memcpy(&x, a.data() + i, 2);
    std::memcpy(&y, b.data() + i, 2);
    const float p = from_half(x, type), q = from_half(y, type);
    if (x != y && std::abs(p - q) > 0.02 + 0.02 * std::max(std::abs(p), std::abs(q))) return false;
  }
  return true;
}

bool are_same(const std::vector<Tensor>& one, const std::vector<Tensor>& other) {
  return std::ranges::equal(one, other, [](const Tensor& a, const Tensor& b) {
    if (a.shape != b.shape || a.strings != b.strings || a.data.size() != b.data.size()) return false;
    if (a.type == DataType::kFp32) return are_near<float>(a.data, b.data);
    if (a.type == DataType::kFp64) return are_near<double>(a.data, b.data);
    if (a.type == DataType::kFp16 || a.type == DataType::kBf16) return are_near_halves(a.data, b.data, a.type);
    return a.data == b.data;
  });
}

double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

class Trial {
 public:
  Trial(ModelRunner& runner, const ModelFacts& facts)
      : runner_(runner), facts_(facts), outputs_(names_of(facts.outputs)) {}

  // Two rows and one, alone and together.
  Result<bool> is_same_together(std::int64_t size) {
    const auto two = sample_inputs(facts_.inputs, 2, size, 1);
    const auto one = sample_inputs(facts_.inputs, 1, size, 2);
    ROOST_TRY(const auto of_two, run(two));
    ROOST_TRY(const auto of_one, run(one));
    ROOST_TRY(const auto of_all, run(join_rows(std::vector<std::span<const Tensor>>{two, one})));
    const bool have_rows = std::ranges::all_of(
        of_all, [](const Tensor& output) { return !output.shape.empty() && output.shape.front() == 3; });
    return have_rows && are_same(of_two, slice_rows(of_all, 0, 2)) && are_same(of_one, slice_rows(of_all, 2, 3));
  }
  // The least time of a few runs; of the processor, which others on the machine change little.
  Result<double> seconds(std::int64_t rows, std::int64_t size) {
    const auto inputs = sample_inputs(facts_.inputs, rows, size, 1);
    double least = 1e9, spent = 0;
    for (int i = 0; i < 5 && spent < 0.2; ++i) {
      const double start = thread_seconds();
      ROOST_TRY(const auto outputs, run(inputs));
      const double took = thread_seconds() - start;
      least = std::min(least, took);
      spent += took;
    }
    return least;
  }

 private:
  Result<std::vector<Tensor>> run(const std::vector<Tensor>& inputs) {
    return runner_.run(inputs, outputs_, Steady::now() + kLongest);
  }

  ModelRunner& runner_;
  const ModelFacts& facts_;
  const std::vector<std::string> outputs_;
};

}  // namespace

BatchVerdict may_go_together(const ModelFacts& facts) {
  if (facts.inputs.empty()) return {false, "the model has no inputs"};
  const auto varies = [](const TensorSpec& spec) { return !spec.shape.empty() && spec.shape.front() == -1; };
  for (const auto* specs : {&facts.inputs, &facts.outputs}) {
    const auto fixed = std::ranges::find_if_not(*specs, varies);
    if (fixed != specs->end()) return {false, fmt::format("the first size of '{}' does not vary", fixed->name)};
  }
  for (const std::string& rows : facts.input_rows) {
    if (rows != facts.input_rows.front())
      return {false, fmt::format("the first sizes of the inputs are not the same: '{}' and '{}'",
                                 facts.input_rows.front(), rows)};
  }
  return {true, ""};
}

BatchVerdict try_together(ModelRunner& runner, const ModelFacts& facts, std::int64_t max_batch) {
  if (BatchVerdict verdict = may_go_together(facts); !verdict.together) return verdict;
  Trial trial(runner, facts);
  std::string why;
  // Sizes that vary besides the rows are anybody's guess: a pooling needs some width, an image is often this wide.
  for (const std::int64_t size : {4, 32, 224}) {
    const auto same = trial.is_same_together(size);
    if (!same) {
      why = same.error().message;
      continue;
    }
    if (!*same) return {false, "rows do not give the same together as alone"};
    const std::int64_t rows = std::min(kRows, max_batch);
    const auto alone = trial.seconds(1, size);
    const auto together = trial.seconds(rows, size);
    if (!alone || !together) return {false, "it could not be measured"};
    const double share = *together / (*alone * static_cast<double>(rows));
    if (share > kWorthwhile)
      return {false, fmt::format("{} rows take {:.0f} % of what they take one by one", rows, share * 100)};
    return {true, ""};
  }
  return {false, "it could not be tried: " + why};
}

std::optional<double> try_row(ModelRunner& runner, const ModelFacts& facts) {
  Trial trial(runner, facts);
  for (const std::int64_t size : {128, 32, 224, 4, 1}) {
    if (const auto seconds = trial.seconds(1, size)) return *seconds;
  }
  return std::nullopt;
}

}  // namespace roost
