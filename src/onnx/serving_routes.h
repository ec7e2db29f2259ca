#pragma once

#include <chrono>
#include <cstdint>

#include "net/router.h"
#include "onnx/answering.h"
#include "onnx/model_set.h"

namespace roost {

// What handlers need; all of it outlives them.
struct Serving {
  ModelSet& models;
  Answering& answering;
  std::chrono::milliseconds timeout;
  std::uint64_t max_body_bytes;
};

void add_v2_routes(Router& router, const Serving& serving);     // /v2/...
void add_score_routes(Router& router, const Serving& serving);  // /, /score, /swagger.json

// Whether a request may be computed on its connection's thread: what it asks for is small, and so is what it does.
// Bodies that unpack to who knows what are not.
inline bool is_quick(const Result<std::shared_ptr<LoadedModel>>& model, const Request& request) {
  constexpr std::size_t kSmallBody = 16 << 10;
  return model && request.body.size() <= kSmallBody && !request.headers.contains("content-encoding") &&
         (*model)->is_quick();
}

// One request through a model: `parse` makes it of the body, `print` the answer. Counts it in the model's statistics.
template <class Parse, class Print>
Result<Response> serve_inference(const Serving& serving, LoadedModel& model, Parse parse, Print print) {
  using Steady = std::chrono::steady_clock;
  const auto start = Steady::now();
  CallTimes times;
  std::int64_t rows = 1;
  auto result = [&]() -> Result<Response> {
    ROOST_TRY(const auto request, parse());
    const InferRequest& wanted = [&]() -> const InferRequest& {
      if constexpr (requires { request.request; }) {
        return request.request;
      } else {
        return request;
      }
    }();
    if (!wanted.inputs.empty() && !wanted.inputs.front().shape.empty()) rows = wanted.inputs.front().shape.front();
    ROOST_TRY(const InferAnswer answer, model.infer(wanted, start + serving.timeout, times));
    const auto computed = Steady::now();
    auto printed = print(request, answer);
    times.output += Steady::now() - computed;
    return printed;
  }();
  if (result) {
    model.stats().succeeded(times, static_cast<std::uint64_t>(rows));
    model.took(times);
  } else {
    model.stats().failed(Steady::now() - start);
  }
  return result;
}

}  // namespace roost
