#include "prepare/environment_builder.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/digest.h"
#include "base/files.h"

namespace roost {
namespace {

namespace fs = std::filesystem;

class BuilderProcessTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(make_folders(folder_ / "environments"));
    order_.folder = (folder_ / "environments" / "abc-1").string();
  }
  void TearDown() override { ASSERT_TRUE(remove_tree(folder_)); }

  // A program that is called as `roost build-environment --order FILE --result FILE` and does this.
  BuilderProcess builder(const std::string& does) {
    const fs::path program = folder_ / "builder";
    const std::string text = "#!/bin/sh\nfolder=${3%.order}\nresult=$5\n" + does;
    EXPECT_TRUE(write_file_atomic(program, text, 0755));
    return BuilderProcess(program.string());
  }
  std::vector<std::string> left() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_ / "environments")) names.push_back(entry.path().filename());
    return names;
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / ("roost-builder-" + random_hex(4));
  BuildOrder order_;
};

TEST_F(BuilderProcessTest, WhatItWorkedWithGoesWhenItIsDone) {
  BuilderProcess program = builder("mkdir -p $folder $folder.work/cache\necho '{\"builder\": \"venv\"}' > $result\n");
  const auto built = program.build(order_, {[](int) {}, [](std::string_view) {}});
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_EQ(built->builder, "venv");
  EXPECT_EQ(left(), std::vector<std::string>{"abc-1"});
}

TEST_F(BuilderProcessTest, AndWhenItIsEndedInTheMiddle) {
  BuilderProcess program = builder(
      "mkdir -p $folder.work/cache\n: > $folder.work/cache/large\n: > $result.tmp-123\necho begun\nexec sleep 600\n");
  ASSERT_TRUE(make_folders(order_.folder + "0.work"));  // of another build
  int pid = 0;
  const auto built = program.build(order_, {[&](int now) { pid = now > 0 ? now : pid; },
                                            [&](std::string_view text) {
                                              if (text.find("begun") != text.npos) program.end_build(pid);
                                            }});
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().message, "the build was ended before it was done");
  EXPECT_EQ(left(), std::vector<std::string>{"abc-10.work"});
}

}  // namespace
}  // namespace roost
