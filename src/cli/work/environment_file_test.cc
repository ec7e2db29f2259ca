#include "cli/work/environment_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/digest.h"
#include "base/files.h"
#include "cli/work/large_upload.h"
#include "cli/work/toml_document.h"

namespace roost {
namespace {

namespace fs = std::filesystem;

Json pip_of(const Json& definition) { return definition["python"]["condaDependencies"]["dependencies"].back()["pip"]; }

class EnvironmentFileTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { (void)remove_tree(folder_); }
  std::string write(const std::string& name, const std::string& text) {
    EXPECT_TRUE(write_file_atomic(folder_ / name, text));
    return folder_ / name;
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / ("environment-" + random_hex(4));
};

TEST_F(EnvironmentFileTest, RequirementsMayNameOthers) {
  write("base.txt", "numpy<2 # old\n");
  const auto path = write("requirements.txt", "# what it needs\n-r base.txt\ntorch==2.3 \\\n  --hash=sha256:ab\n\nx @ https://host/x.whl#sha256=1\n");
  const auto made = definition_of_file(path);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(pip_of(*made), Json({"numpy<2", "torch==2.3", "x @ https://host/x.whl#sha256=1"}));
  const auto editable = definition_of_file(write("own.txt", "-e .\n"));
  EXPECT_NE(editable.error().message.find("folder of this machine"), std::string::npos);
  EXPECT_FALSE(definition_of_file(write("loop.txt", "-r loop.txt\n")));
  EXPECT_EQ(definition_of_file(folder_ / "none.txt").error().code, ErrorCode::kNotFound);
}

TEST_F(EnvironmentFileTest, TheNameSaysWhatAFileIs) {
  const auto conda = definition_of_file(write("conda.yml", "dependencies: [python=3.11, {pip: [torch]}]\n"));
  ASSERT_TRUE(conda);
  EXPECT_EQ(pip_of(*conda), Json({"torch"}));
  const auto docker = definition_of_file(write("train.Dockerfile", "FROM debian:12\n"));
  ASSERT_TRUE(docker);
  EXPECT_EQ((*docker)["docker"]["baseDockerfile"], "FROM debian:12\n");
}

TEST(PyprojectTest, DependenciesAndPython) {
  const auto made = definition_of_pyproject("[project]\nname = 'birds'\nrequires-python = \">=3.9\"\ndependencies = [\n  \"torch>=2\", # big\n  'numpy',\n]\n"
                                            "[project.optional-dependencies]\ndev = [\"pytest\"]\n[tool.x]\na.b = {c = 1, d = [true]}\n",
                                            "pyproject.toml");
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(pip_of(*made), Json({"torch>=2", "numpy"}));
  EXPECT_EQ((*made)["python"]["condaDependencies"]["dependencies"][0], "python>=3.9");
  EXPECT_NE(definition_of_pyproject("[tool.poetry]\n", "p.toml").error().message.find("no table [project]"), std::string::npos);
  EXPECT_NE(definition_of_pyproject("[project]\nname = 'x\n", "p.toml").error().message.find("p.toml, line 2"), std::string::npos);
}

constexpr const char* kLock = R"toml(version = 1
requires-python = ">=3.11"

[[package]]
name = "birds"
version = "0.1.0"
source = { virtual = "." }
dependencies = [
    { name = "torch" },
    { name = "colorama", marker = "sys_platform == 'win32'" },
]

[[package]]
name = "colorama"
version = "0.4.6"
source = { registry = "https://host/simple" }

[[package]]
name = "torch"
version = "2.3.0"
source = { registry = "https://host/simple" }
dependencies = [{ name = "numpy" }]

[[package]]
name = "numpy"
version = "1.26.4"
source = { registry = "https://host/simple" }

[[package]]
name = "pytest"
version = "8.0.0"
source = { registry = "https://host/simple" }
)toml";

TEST(UvLockTest, WhatTheProjectNeedsAtItsVersions) {
  const auto made = definition_of_uv_lock(kLock, "uv.lock");
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(pip_of(*made), Json({"colorama==0.4.6 ; ((sys_platform == 'win32'))", "numpy==1.26.4", "torch==2.3.0"}));
  EXPECT_FALSE(definition_of_uv_lock("a = 1\n", "uv.lock"));
}

TEST(TomlTest, WhatIsWrongIsSaidWithItsLine) {
  for (const char* text : {"a = ", "a", "[a", "a = [1", "a = {b = 1", "a = \"x", "a = 1\na = 2", "[[a]]\n[a.b.c]\nx = \"\\q\"", "a = 1 b = 2", "= 1"}) {
    const auto read = parse_toml(text, "file");
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.error().message.find("file, line "), std::string::npos) << text;
  }
  EXPECT_FALSE(parse_toml("a = " + std::string(100, '['), "file"));
}

TEST(LargeUploadTest, WhatMakesItBig) {
  const auto entry = [](const char* path, std::uint64_t size) { return ManifestEntry{path, EntryKind::kFile, size, "", ""}; };
  const std::vector<ManifestEntry> entries = {entry(".venv/lib/torch.so", 900), entry(".venv/lib/numpy.so", 100), entry("data/a/train.npy", 50),
                                              entry("model.pt", 500), entry("train.py", 1)};
  std::vector<const ManifestEntry*> all;
  for (const auto& one : entries) all.push_back(&one);
  const auto parts = largest_parts(all, 2);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].line, ".venv/");
  EXPECT_EQ(parts[0].bytes, 1000U);
  EXPECT_EQ(parts[1].line, "model.pt");
}

}  // namespace
}  // namespace roost
