#include <gtest/gtest.h>

#include "cli/show/model_text.h"
#include "cli/work/model_job.h"

namespace roost {
namespace {

Json trained_run() {
  return {{"id", "birds_1"},
          {"type", "script"},
          {"experiment", "birds"},
          {"compute", "gpu-cluster"},
          {"snapshot", std::string(64, 'a')},
          {"environment", {{"name", "torch"}, {"version", 2}, {"lock", {"torch==2.8"}}, {"changes", Json::array()}}},
          {"spec",
           {{"experiment", "birds"},
            {"script", "train.py"},
            {"arguments", {"--epochs", "3"}},
            {"environment_variables", {{"A", "1"}}},
            {"distributed", {{"kind", "pytorch"}, {"node_count", 2}}}}}};
}

ModelJob export_job() {
  ModelJob job;
  job.kind = "export";
  job.model = {{"id", "birds:3"}, {"name", "birds"}, {"version", 3}, {"experiment", "birds"}, {"content", std::string(64, 'c')}};
  job.made_by = trained_run();
  job.command = {"python", "-m", "x", "--model", "$ROOST_MODEL", "--input", "a b"};
  return job;
}

TEST(ModelJob, TakesEnvironmentAndCodeOfTheRunThatMadeIt) {
  const auto spec = model_job_spec(export_job());
  ASSERT_TRUE(spec);
  EXPECT_EQ((*spec)["command"], "python -m x --model \"$AZUREML_DATAREFERENCE_roost_model\" --input 'a b'");
  EXPECT_EQ((*spec)["compute"], "gpu-cluster");
  EXPECT_EQ((*spec)["snapshot"], std::string(64, 'a'));
  EXPECT_EQ((*spec)["environment"]["lock"], Json::array({"torch==2.8"}));
  EXPECT_EQ((*spec)["environment_variables"]["A"], "1");
  EXPECT_EQ((*spec)["inputs"][0]["content"], std::string(64, 'c'));
  EXPECT_FALSE(spec->contains("distributed")) << "one process is enough";
  EXPECT_FALSE(spec->contains("script"));
}

TEST(ModelJob, OthersCanBeNamed) {
  ModelJob job = export_job();
  job.environment = "onnx:4";
  job.compute = "local";
  job.snapshot = std::string(64, 'b');
  const auto spec = model_job_spec(job);
  ASSERT_TRUE(spec);
  EXPECT_EQ((*spec)["environment"], Json({{"name", "onnx"}, {"version", "4"}}));
  EXPECT_EQ((*spec)["compute"], "local");
  EXPECT_EQ((*spec)["snapshot"], std::string(64, 'b'));
}

TEST(ModelJob, AModelOfNoRunAndOneOfANotebook) {
  ModelJob job = export_job();
  job.made_by = Json();
  job.model["experiment"] = nullptr;
  const auto bare = model_job_spec(job);
  ASSERT_TRUE(bare);
  EXPECT_EQ((*bare)["experiment"], "export");
  EXPECT_FALSE(bare->contains("snapshot"));
  job.made_by = {{"id", "birds_2"}, {"type", "interactive"}};
  EXPECT_TRUE(model_job_spec(job));
}

TEST(ModelJob, AloneItTakesNothingOfTheRun) {
  ModelJob job = export_job();
  job.alone = true;
  const auto spec = model_job_spec(job);
  ASSERT_TRUE(spec);
  EXPECT_FALSE(spec->contains("environment"));
  EXPECT_FALSE(spec->contains("compute"));
}

TEST(ModelJob, TheScriptThatSavedIt) {
  EXPECT_EQ(script_of(trained_run()), "train.py");
  EXPECT_EQ(script_of({{"spec", {{"command", "cd x && python 'src/train.py' --lr 0.1"}}}}), "src/train.py");
  EXPECT_EQ(script_of({{"spec", {{"command", "./train"}}}}), "");
  EXPECT_EQ(script_of(Json()), "");
}

TEST(ModelText, WhatAnExportHasMade) {
  const Json model = {{"files", 2},
                      {"size", 12'000'000U},
                      {"properties",
                       {{"exported_from", "birds:3"},
                        {"source_kind", "state dict"},
                        {"inputs", "image=batchx3x8x8:float32"},
                        {"exporter", "PyTorch 2.8 dynamo"},
                        {"opset", "18"},
                        {"compared_with", "roost serve"},
                        {"largest_difference", "1.2e-07"},
                        {"relative_difference", "3e-08"}}}};
  const std::string text = exported_text(model, Style(false));
  for (const char* part : {"birds:3, a state dict", "image=batchx3x8x8", "opset 18", "1.2e-07 at most", "2 files, 12 MB"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
}

}  // namespace
}  // namespace roost
