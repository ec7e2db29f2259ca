#include "runner/stage_inputs.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/digest.h"
#include "base/files.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

// A folder of a run, and a cache that has everything: no server is asked.
class StageInputs : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(make_folders(root_ / "code"));
    ASSERT_TRUE(make_folders(root_ / "outside"));
    folder_ = Fd(::open((root_ / "code").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
  void TearDown() override { ASSERT_TRUE(remove_tree(root_)); }

  Json output(const std::string& path, const std::string& text) {
    const std::string digest = sha256_hex(text);
    const fs::path blob = root_ / "cache/blobs" / digest.substr(0, 2) / digest.substr(2);
    EXPECT_TRUE(make_folders(blob.parent_path()));
    std::ofstream(blob) << text;
    return {{"path", path}, {"digest", digest}, {"size", text.size()}};
  }
  Status restore(const Json& outputs) {
    return restore_outputs(server_, outputs, root_ / "cache", folder_.get(), notices_);
  }
  std::string text_of(const std::string& path) { return read_file(root_ / path).value_or("(none)"); }

  const fs::path root_ = fs::path(testing::TempDir()) / ("stage-" + random_hex(4));
  std::atomic<bool> stop_ = false;
  ServerLink server_{(root_ / "server.json").string(), "", "", stop_};
  Fd folder_;
  Notices notices_;
};

TEST_F(StageInputs, OutputsAreWhereTheyWere) {
  ASSERT_TRUE(restore({output("outputs/a", "one"), output("outputs/deep/er/b", "two"), output("outputs/deep/c", "three")}));
  EXPECT_EQ(text_of("code/outputs/a"), "one");
  EXPECT_EQ(text_of("code/outputs/deep/er/b"), "two");
  EXPECT_EQ(text_of("code/outputs/deep/c"), "three");
  EXPECT_TRUE(notices_.empty());
  ASSERT_TRUE(restore(Json::array({output("outputs/a", "newer")})));
  EXPECT_EQ(text_of("code/outputs/a"), "newer");
}

TEST_F(StageInputs, OutputsGoThroughNoLink) {
  fs::create_directory_symlink(root_ / "outside", root_ / "code/outputs");
  fs::create_directories(root_ / "code/other");
  fs::create_directory_symlink("../../outside", root_ / "code/other/up");
  ASSERT_TRUE(restore({output("outputs/a", "one"), output("other/up/b", "two"), output("other/c", "three")}));
  EXPECT_TRUE(fs::is_empty(root_ / "outside"));
  EXPECT_EQ(text_of("code/other/c"), "three") << "the rest is put back";
  EXPECT_EQ(notices_.json().size(), 2U) << to_text(notices_.json());
}

TEST_F(StageInputs, ALinkInTheFilesOwnPlaceIsReplaced) {
  std::ofstream(root_ / "outside/precious") << "precious";
  fs::create_directories(root_ / "code/outputs/folder");
  fs::create_symlink(root_ / "outside/precious", root_ / "code/outputs/a");
  ASSERT_TRUE(restore({output("outputs/a", "one"), output("outputs/folder", "two")}));
  EXPECT_EQ(text_of("outside/precious"), "precious");
  EXPECT_EQ(text_of("code/outputs/a"), "one");
  EXPECT_TRUE(fs::is_directory(root_ / "code/outputs/folder"));
  EXPECT_EQ(notices_.json().size(), 1U);
}

TEST_F(StageInputs, AnOrderThatMakesNoSenseIsRefused) {
  for (const Json& outputs : {Json{5}, Json{nullptr}, Json{Json::array()}, Json{{{"path", 5}}},
                              Json{{{"path", "outputs/a"}, {"digest", "../../x"}, {"size", "y"}}},
                              Json{{{"path", "../a"}, {"digest", sha256_hex("")}, {"size", 0}}}}) {
    EXPECT_FALSE(restore(outputs)) << to_text(outputs);
  }
  for (const char* snapshot : {"", "x", "../../../x"}) {
    EXPECT_FALSE(stage_snapshot(server_, snapshot, root_ / "cache", folder_.get())) << snapshot;
  }
}

}  // namespace
}  // namespace roost
