// Calls ONNX Runtime's C interface in a loop: what serving is measured against. Prints requests a second and their
// times as JSON. Threads are clients, each with its own input and its next request as soon as the last is answered.
// usage: onnx_loop MODEL.onnx [--clients N] [--intra-op N] [--rows N] [--size N] [--seconds S] [--through model]
// [--max-batch N]
// --through model: through Roost's queue and session instead of the bare interface, to see what they cost.
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>

#include <fmt/format.h>

#include "onnx/element_type.h"
#include "onnx/loaded_model.h"
#include "onnx/sample_inputs.h"

using namespace roost;
using Steady = std::chrono::steady_clock;

namespace {

struct Arguments {
  std::string model;
  std::string through = "bare";
  int clients = 1;
  int intra_op = 1;  // 0, for --through model: as serving decides
  int rows = 1;
  int size = 1;
  int max_batch = 1;
  double seconds = 3;
};

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "onnx_loop: %s\n", why.c_str());
  std::exit(2);
}

Arguments read_arguments(int count, char** values) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    const std::string name = values[i];
    const auto next = [&] { return i + 1 < count ? values[++i] : (give_up(name + " needs a value"), nullptr); };
    if (name == "--clients")
      arguments.clients = std::atoi(next());
    else if (name == "--intra-op")
      arguments.intra_op = std::atoi(next());
    else if (name == "--rows")
      arguments.rows = std::atoi(next());
    else if (name == "--size")
      arguments.size = std::atoi(next());
    else if (name == "--max-batch")
      arguments.max_batch = std::atoi(next());
    else if (name == "--seconds")
      arguments.seconds = std::atof(next());
    else if (name == "--through")
      arguments.through = next();
    else
      arguments.model = name;
  }
  if (arguments.model.empty()) give_up("no model is given");
  return arguments;
}

void must(const OrtRuntime& runtime, ort::OrtStatus* status) {
  if (auto done = runtime.check(status); !done) give_up(done.error().message);
}

// One client's requests, one a call.
using Ask = std::function<void()>;

// Nothing but the interface: a session with defaults but for its threads, the input made once.
std::function<Ask()> bare_client(const std::shared_ptr<OrtRuntime>& runtime, const Arguments& arguments,
                                 const ModelFacts& facts) {
  const ort::OrtApi& ort = runtime->api();
  ort::OrtSessionOptions* options = nullptr;
  must(*runtime, ort.CreateSessionOptions(&options));
  must(*runtime, ort.SetIntraOpNumThreads(options, arguments.intra_op));
  ort::OrtSession* session = nullptr;
  must(*runtime, ort.CreateSession(runtime->env(), arguments.model.c_str(), options, &session));
  return [&ort, runtime, session, arguments, facts] {
    auto inputs = std::make_shared<std::vector<Tensor>>(sample_inputs(facts.inputs, arguments.rows, arguments.size, 1));
    std::vector<const ort::OrtValue*> values;
    std::vector<const char*> names;
    std::vector<std::string> texts;
    for (const Tensor& input : *inputs) {
      ort::OrtValue* value = nullptr;
      must(*runtime, ort.CreateTensorWithDataAsOrtValue(runtime->cpu(), const_cast<char*>(input.data.data()),
                                                        input.data.size(), input.shape.data(), input.shape.size(),
                                                        element_type(input.type), &value));
      values.push_back(value);
      names.push_back(input.name.c_str());
    }
    for (const TensorSpec& output : facts.outputs) texts.push_back(output.name);
    return [&ort, runtime, session, inputs, values, names, texts] {
      std::vector<const char*> wanted;
      for (const std::string& text : texts) wanted.push_back(text.c_str());
      std::vector<ort::OrtValue*> outputs(wanted.size(), nullptr);
      must(*runtime, ort.Run(session, nullptr, names.data(), values.data(), values.size(), wanted.data(), wanted.size(),
                             outputs.data()));
      for (ort::OrtValue* output : outputs) ort.ReleaseValue(output);
    };
  };
}

std::function<Ask()> model_client(const std::shared_ptr<LoadedModel>& model, const Arguments& arguments) {
  return [model, arguments] {
    InferRequest request;
    request.inputs = sample_inputs(model->signature().inputs, arguments.rows, arguments.size, 1);
    for (const TensorSpec& output : model->signature().outputs) request.outputs.push_back({output.name});
    return [model, request] {
      CallTimes times;
      const auto answer = model->infer(request, Steady::now() + std::chrono::minutes(1), times);
      if (!answer) give_up(answer.error().message);
    };
  };
}

// Processor time of this process, which tells more than the clock does on a machine that others use too.
double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void measure(const Arguments& arguments, const std::function<Ask()>& make_client) {
  std::atomic<bool> over = false;
  std::vector<std::vector<double>> times(static_cast<std::size_t>(arguments.clients));
  const auto start = Steady::now();
  const double cpu_before = cpu_seconds();
  {
    std::vector<std::jthread> clients;
    for (auto& own : times) {
      clients.emplace_back([&own, &over, &make_client] {
        const Ask ask = make_client();
        while (!over) {
          const auto begin = Steady::now();
          ask();
          own.push_back(std::chrono::duration<double, std::micro>(Steady::now() - begin).count());
        }
      });
    }
    std::this_thread::sleep_for(std::chrono::duration<double>(arguments.seconds));
    over = true;
  }
  const double seconds = std::chrono::duration<double>(Steady::now() - start).count();
  std::vector<double> all;
  for (const auto& own : times) all.insert(all.end(), own.begin(), own.end());
  if (all.empty()) give_up("not one request was answered");
  std::ranges::sort(all);
  const auto at = [&](double share) {
    return all[static_cast<std::size_t>(share * static_cast<double>(all.size() - 1))];
  };
  fmt::print(
      "{{\"requests_per_second\": {:.1f}, \"p50_us\": {:.1f}, \"p99_us\": {:.1f}, \"cpu_us\": {:.1f}, \"requests\": "
      "{}, \"clients\": {}, \"intra_op\": {}}}\n",
      static_cast<double>(all.size()) / seconds, at(0.5), at(0.99),
      (cpu_seconds() - cpu_before) * 1e6 / static_cast<double>(all.size()), all.size(), arguments.clients,
      arguments.intra_op);
}

}  // namespace

int main(int count, char** values) {
  const Arguments arguments = read_arguments(count, values);
  const auto library = open_onnxruntime();
  if (!library) give_up(library.error().message);
  const auto runtime = OrtRuntime::open(*library, arguments.intra_op);
  if (!runtime) give_up(runtime.error().message);
  RunCutoff watch;
  if (arguments.through == "bare") {
    auto session = OnnxSession::load(*runtime, watch, arguments.model);
    if (!session) give_up(session.error().message);
    measure(arguments, bare_client(*runtime, arguments, (*session)->facts()));
  } else {
    auto model = LoadedModel::load(*runtime, watch, {"model", "1", arguments.model}, {arguments.max_batch, 0}, 1024);
    if (!model) give_up(model.error().message);
    measure(arguments, model_client(*model, arguments));
  }
}
