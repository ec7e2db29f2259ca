#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/digest.h"
#include "base/open_beneath.h"
#include "runner/output_tree.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

class Outputs : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(make_folders(root_ / "outputs" / "deep")); }
  void TearDown() override { ASSERT_TRUE(remove_tree(root_.parent_path())); }
  void put(const std::string& name) { std::ofstream(root_ / name) << name; }

  const fs::path root_ = fs::path(testing::TempDir()) / ("outputs-" + random_hex(4)) / "code";
};

TEST_F(Outputs, AreFilesAndLinksToFilesOfTheRun) {
  put("outputs/deep/a");
  put("beside");
  put("../secret");
  fs::create_symlink("deep/a", root_ / "outputs" / "relative");
  fs::create_symlink(root_ / "beside", root_ / "outputs" / "absolute");
  fs::create_symlink("relative", root_ / "outputs" / "twice");
  fs::create_symlink("../../secret", root_ / "outputs" / "outside");
  fs::create_symlink("circle", root_ / "outputs" / "circle");
  fs::create_symlink("deep", root_ / "outputs" / "folder");
  ASSERT_EQ(::mkfifo((root_ / "outputs" / "fifo").c_str(), 0600), 0);
  std::ofstream(root_ / "outputs" / "new\nline") << "";
  Notices notices;
  std::map<std::string, std::string> found;
  for (const auto& file : OutputTree(root_).find(notices)) found[file.path] = file.file;
  EXPECT_EQ(found, (std::map<std::string, std::string>{{"outputs/deep/a", "outputs/deep/a"},
                                                       {"outputs/relative", "outputs/deep/a"},
                                                       {"outputs/twice", "outputs/deep/a"},
                                                       {"outputs/absolute", "beside"}}));
  const std::string text = to_text(notices.json());
  for (const char* name : {"outside", "circle", "folder", "fifo", "new\\\\x0aline"}) {
    EXPECT_NE(text.find(std::string("outputs/") + name), std::string::npos) << text;
  }
  EXPECT_EQ(notices.json().size(), 5U);
}

TEST_F(Outputs, WhatMlflowLeftCountsUnlessItCameWithTheCode) {
  ASSERT_TRUE(make_folders(root_ / "mlruns" / "0"));
  put("mlruns/0/loss");
  put("mlflow.db");
  Notices notices;
  EXPECT_TRUE(OutputTree(root_).find(notices).empty()) << "nothing was launched";
  std::vector<std::string> found;
  for (const auto& file : OutputTree(root_, timespec{1, 0}).find(notices)) found.push_back(file.path);
  EXPECT_EQ(found, (std::vector<std::string>{"mlflow.db", "mlruns/0/loss"}));
  EXPECT_TRUE(OutputTree(root_, timespec{1LL << 40, 0}).find(notices).empty());
}

TEST_F(Outputs, AFolderThatBecomesALinkLeadsNowhere) {
  put("outputs/deep/a");
  fs::create_directories(root_.parent_path() / "host");
  put("../host/a");
  Notices notices;
  const OutputTree tree(root_);
  const auto files = tree.find(notices);
  fs::remove_all(root_ / "outputs" / "deep");
  fs::create_directory_symlink(root_.parent_path() / "host", root_ / "outputs" / "deep");
  ASSERT_EQ(files.size(), 1U);
  EXPECT_FALSE(open_plain_file(tree.root(), files[0].file));
  fs::remove_all(root_ / "outputs");
  fs::create_directory_symlink(root_.parent_path() / "host", root_ / "outputs");
  EXPECT_TRUE(tree.find(notices).empty());
}

TEST(Notices, NameSoManyThatOneCanReadThem) {
  Notices notices;
  for (int i = 0; i < 30; ++i) notices.add("outputs/" + std::to_string(i), "is not kept");
  EXPECT_EQ(notices.json().size(), 21U);
  EXPECT_EQ(notices.json()[0], "outputs/0 is not kept");
  EXPECT_EQ(notices.json()[20], "10 more files are not kept as they are");
}

}  // namespace
}  // namespace roost
