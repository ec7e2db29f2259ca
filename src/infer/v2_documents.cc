#include "infer/v2_documents.h"

namespace roost {
namespace {

Json tensor_documents(const std::vector<TensorSpec>& specs) {
  Json out = Json::array();
  for (const TensorSpec& spec : specs) out.push_back({{"name", spec.name}, {"datatype", data_type_name(spec.type)}, {"shape", spec.shape}});
  return out;
}

std::string config_type(DataType type) {
  return type == DataType::kBytes ? "TYPE_STRING" : "TYPE_" + std::string(data_type_name(type));
}

Json config_tensors(const std::vector<TensorSpec>& specs) {
  Json out = Json::array();
  for (const TensorSpec& spec : specs) out.push_back({{"name", spec.name}, {"data_type", config_type(spec.type)}, {"dims", spec.shape}});
  return out;
}

Json duration(const V2Duration& value) { return {{"count", value.count}, {"ns", value.ns}}; }

}  // namespace

Json v2_server_document() {
  return {{"name", "roost"},
          {"version", ROOST_VERSION},
          {"extensions", {"binary_tensor_data", "classification", "model_repository", "model_configuration", "statistics"}}};
}

Json v2_model_document(const ModelSignature& model, const std::vector<std::string>& versions) {
  return {{"name", model.name},
          {"versions", versions},
          {"platform", "onnxruntime_onnx"},
          {"inputs", tensor_documents(model.inputs)},
          {"outputs", tensor_documents(model.outputs)}};
}

Json v2_config_document(const ModelSignature& model, const V2Batching& batching) {
  Json out = {{"name", model.name},
              {"platform", "onnxruntime_onnx"},
              {"backend", "onnxruntime"},
              {"max_batch_size", 0},
              {"input", config_tensors(model.inputs)},
              {"output", config_tensors(model.outputs)},
              {"default_model_filename", "model.onnx"}};
  if (batching.max_batch > 1) {
    out["dynamic_batching"] = {{"preferred_batch_size", {batching.max_batch}}, {"max_queue_delay_microseconds", batching.max_delay_us}};
  }
  return out;
}

Json v2_statistics_document(const std::vector<V2Statistics>& models) {
  Json list = Json::array();
  for (const V2Statistics& model : models) {
    list.push_back({{"name", model.name},
                    {"version", model.version},
                    {"last_inference", model.last_inference_ms},
                    {"inference_count", model.inference_count},
                    {"execution_count", model.execution_count},
                    {"inference_stats",
                     {{"success", duration(model.success)},
                      {"fail", duration(model.fail)},
                      {"queue", duration(model.queue)},
                      {"compute_input", duration(model.compute_input)},
                      {"compute_infer", duration(model.compute_infer)},
                      {"compute_output", duration(model.compute_output)},
                      {"cache_hit", duration({})},
                      {"cache_miss", duration({})}}},
                    {"batch_stats", Json::array()}});
  }
  return {{"model_stats", std::move(list)}};
}

Json v2_index_document(const std::vector<V2IndexEntry>& models) {
  Json out = Json::array();
  for (const V2IndexEntry& model : models) {
    out.push_back({{"name", model.name}, {"version", model.version}, {"state", model.ready ? "READY" : "UNAVAILABLE"}, {"reason", model.reason}});
  }
  return out;
}

}  // namespace roost
