#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "infer/servant.h"

namespace roost {

// One version of a model, and where it lies: an .onnx file, or a folder with one (side files of weights beside it).
struct OnnxModelSource {
  std::string name;
  std::string version;
  std::string path;
};

struct BatchingOptions {
  int max_batch = 32;    // rows of all requests that run together; 1: never together
  int max_delay_us = 0;  // how long a request may wait for others; 0: only those that came while the model was busy
};

struct OnnxServantOptions {
  std::vector<OnnxModelSource> models;  // the first one answers on /score
  BatchingOptions batching;
  int intra_op_threads = 0;       // threads one run may use; 0: decided for each model (OrtThreads)
  std::size_t queue_limit = 256;  // requests that wait for one model; one more is answered 503
  std::chrono::milliseconds timeout{60'000};
  std::uint64_t max_body_bytes = 100ULL << 20;
  std::string cors_origins;  // "*", or origins with commas between; empty: none
  std::string library;       // of ONNX Runtime; empty: found (library.h)
};

// Models in ONNX Runtime. start() opens the library, loads and warms up. Handlers block while their request waits or
// runs, so a listener needs as many workers as requests are to be under way: servant_threads() says how many are
// useful.
Result<std::unique_ptr<Servant>> make_onnx_servant(OnnxServantOptions options);
int servant_threads(const OnnxServantOptions& options);

// What `path` holds: an .onnx file is the version "1" of a model named like it; a folder may be a version (model.onnx),
// a model (VERSION/model.onnx) or a repository of them (NAME/VERSION/model.onnx). `name` replaces the name where there
// is one model. kNotFound when there is none, with what was looked for.
Result<std::vector<OnnxModelSource>> find_onnx_models(const std::string& path, const std::string& name = "");

}  // namespace roost
