#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/digest.h"
#include "base/files.h"
#include "cli/show/model_text.h"
#include "cli/work/model_files.h"
#include "snapshot/fake_snapshot_transport.h"

namespace roost {
namespace {

namespace fs = std::filesystem;

const Style kPlain(false);
constexpr Micros kNow = 1'794'776'400'000'000;  // 2026-11-15T21:00:00Z

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Json sample_model() {
  return {{"name", "birds"},
          {"version", 3},
          {"id", "birds:3"},
          {"created_at", "2026-11-15T20:57:00.000000Z"},
          {"created_by", "anna"},
          {"description", ""},
          {"tags", {{"best", nullptr}, {"stage", "trial"}}},
          {"properties", Json::object()},
          {"framework", "PyTorch"},
          {"framework_version", "2.8"},
          {"run", "birds_1794776000_0a1b2c3d"},
          {"experiment", "birds"},
          {"datasets", Json::array({{{"scenario", "training"}, {"name", "b"}, {"version", 2}}})},
          {"content", "c0ffee"},
          {"files", 2},
          {"size", 44'000'000U}};
}

TEST(ModelText, TableAndPage) {
  const Json model = sample_model();
  EXPECT_EQ(model_size_text(model), "2 files, 44 MB");
  EXPECT_EQ(
      model_table(Json::array({model}), kNow).text(kPlain, 0),
      "MODEL    FRAMEWORK     SIZE  CREATED    RUN                        TAGS\n"
      "birds:3  PyTorch 2.8  44 MB  3 min ago  birds_1794776000_0a1b2c3d  best stage=trial\n");
  const Json entries = {{{"path", "net/w.bin"}, {"mode", "100644"}, {"size", 44'000'000U}},
                        {{"path", "net/x"}, {"mode", "120000"}, {"link", "w.bin"}}};
  const std::string page = model_page(model, entries, kNow, kPlain, 0);
  EXPECT_TRUE(has(page, "birds:3\n")) << page;
  EXPECT_TRUE(has(page, "dataset     b 2 (training)\n")) << page;
  EXPECT_FALSE(has(page, "description")) << page;
  EXPECT_TRUE(has(page, "44 MB  net/w.bin\n")) << page;
  EXPECT_TRUE(has(page, "net/x -> w.bin\n")) << page;
}

class ModelFilesTest : public testing::Test {
 protected:
  ModelFilesTest() : folder_(fs::path(testing::TempDir()) / ("model-" + random_hex(4))) {
    fs::create_directories(folder_ / "net/deep");
    fs::create_directories(folder_ / "net/empty");
    write("net/config.json", "{}");
    write("net/deep/w.bin", std::string(600'000, 'w'));
    write("elsewhere", "far away");
    fs::create_symlink("../../elsewhere", folder_ / "net/deep/link");
    ::chmod((folder_ / "net/config.json").c_str(), 0755);
  }
  ~ModelFilesTest() override { (void)remove_tree(folder_); }

  void write(const std::string& path, const std::string& text) {
    ASSERT_TRUE(write_file_atomic(folder_ / path, text));
  }

  static std::string paths(const ModelFiles& model) {
    std::string text;
    for (const auto& entry : model.manifest.entries) {
      text += std::string(entry_mode(entry.kind)) + " " + entry.path + "\n";
    }
    return text;
  }

  fs::path folder_;
  FakeSnapshotServer server_;
};

TEST_F(ModelFilesTest, AFolderGivesEntriesBelowItsName) {
  const auto model = read_model_files(folder_ / "net/");
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(paths(*model),
            "100755 net/config.json\n"
            "100644 net/deep/link\n"
            "100644 net/deep/w.bin\n"
            "040000 net/empty/\n");
  EXPECT_EQ(model->manifest.size, 600'010U);
  EXPECT_EQ(model->digest, sha256_hex(manifest_text(model->manifest)));
}

TEST_F(ModelFilesTest, AFileIsOneEntryWithTheNameItWasGivenBy) {
  fs::create_symlink("net/deep/w.bin", folder_ / "latest.pt");
  const auto model = read_model_files(folder_ / "latest.pt");
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(paths(*model), "100644 latest.pt\n");
}

TEST_F(ModelFilesTest, WhatCannotBeReadIsNamed) {
  const auto absent = read_model_files(folder_ / "absent");
  EXPECT_EQ(absent.error().code, ErrorCode::kNotFound);
  fs::create_symlink("nothing", folder_ / "net/dangling");
  EXPECT_TRUE(has(read_model_files(folder_ / "net").error().message,
                  "net/dangling is a symlink to nothing"));
  fs::remove(folder_ / "net/dangling");
  fs::create_symlink("..", folder_ / "net/deep/loop");
  EXPECT_TRUE(has(read_model_files(folder_ / "net").error().message,
                  "net/deep/loop is a symlink to a folder above it"));
  fs::remove(folder_ / "net/deep/loop");
  ASSERT_EQ(::mkfifo((folder_ / "net/pipe").c_str(), 0600), 0);
  EXPECT_TRUE(has(read_model_files(folder_ / "net").error().message,
                  "net/pipe is neither a file nor a folder"));
}

TEST_F(ModelFilesTest, UploadsWhatTheServerLacksAndGoesOnAfterABreak) {
  const auto model = read_model_files(folder_ / "net");
  ASSERT_TRUE(model);
  server_.blobs[sha256_hex("{}")] = "{}";
  server_.break_after_bytes = 300'000;
  TransferOptions options;
  options.retry_delay = std::chrono::milliseconds(1);
  TransferProgress last;
  options.progress = [&last](const TransferProgress& progress) { last = progress; };
  const Status sent = upload_model_files(*model, server_.factory(), options);
  ASSERT_TRUE(sent) << sent.error().message;
  EXPECT_EQ(server_.breaks, 1);
  EXPECT_TRUE(server_.snapshots.contains(model->digest));
  EXPECT_EQ(last.bytes_done, last.bytes_total);
  EXPECT_EQ(last.bytes_total, 600'008U);
  const int calls = server_.put_blob_calls;
  ASSERT_TRUE(upload_model_files(*model, server_.factory(), options));
  EXPECT_EQ(server_.put_blob_calls, calls);
}

TEST_F(ModelFilesTest, AFileThatChangedMeanwhileIsRefused) {
  const auto model = read_model_files(folder_ / "net");
  ASSERT_TRUE(model);
  write("net/deep/w.bin", std::string(600'000, 'x'));
  const Status sent = upload_model_files(*model, server_.factory(), {});
  EXPECT_EQ(sent.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_TRUE(has(sent.error().message, "w.bin changed"));
}

}  // namespace
}  // namespace roost
