#include <algorithm>

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/digest.h"
#include "base/files.h"
#include "runner/command_line.h"
#include "runner/image_root.h"
#include "runner/installed_packages.h"
#include "runner/mpi_node.h"
#include "runner/rendezvous.h"
#include "runner/sdk.h"
#include "runner/usage.h"

namespace roost {
namespace {

TEST(CommandLine, ExpandsOnlyVariablesThatAreSet) {
  const Variables variables = {{"RANK", "3"}, {"DATA", "/d"}};
  EXPECT_EQ(expand_variables("--rank=$RANK", variables), "--rank=3");
  EXPECT_EQ(expand_variables("${DATA}/x$RANK.txt", variables), "/d/x3.txt");
  EXPECT_EQ(expand_variables("$RANKS ${RANK $", variables), "$RANKS ${RANK $");
  EXPECT_EQ(expand_variables("price: 5$", variables), "price: 5$");
}

TEST(CommandLine, CommandsGoThroughAShellScriptsThroughPython) {
  const auto shell = order_program({{"command", "a && b"}}, {});
  EXPECT_EQ(shell.back(), "a && b");
  EXPECT_EQ(shell[1], "-c");
  const auto script = order_program(
      {{"python", "/usr/bin/python3"}, {"script", "t.py"}, {"arguments", {"--r", "$R"}}}, {{"R", "1"}});
  EXPECT_EQ(script, (std::vector<std::string>{"/usr/bin/python3", "t.py", "--r", "1"}));
}

TEST(CommandLine, AnImageBringsItsOwnVariables) {
  const auto variables = image_variables({{"variables", {{"PATH", "/opt/bin"}, {"COLOUR", "red"}}}}, "/home/x");
  EXPECT_EQ(variables.at("PATH"), "/opt/bin");
  EXPECT_EQ(variables.at("COLOUR"), "red");
  EXPECT_EQ(variables.at("HOME"), "/home/x");
  EXPECT_FALSE(variables.contains("PWD"));
}

TEST(HostsFile, AddsTheNodesToWhatIsThere) {
  const std::vector<NodeFacts> nodes = {{"a", "10.0.0.1", "", {}, "", ""}, {"b", "10.0.0.2", "", {}, "", ""}};
  EXPECT_EQ(hosts_file(nodes, "127.0.0.1 localhost\n10.9.9.9 license\n"),
            "10.0.0.1 a\n10.0.0.2 b\n127.0.0.1 localhost\n10.9.9.9 license\n");
  EXPECT_NE(hosts_file(nodes, "").find("127.0.0.1 localhost\n"), std::string::npos);
}

class InFolder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / ("runner-" + random_hex(4));
    ASSERT_TRUE(make_folders(folder_));
  }
  void TearDown() override { ASSERT_TRUE(remove_tree(folder_)); }
  void put(const std::string& name, std::string_view text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  std::filesystem::path folder_;
};

using ImageFiles = InFolder;

TEST_F(ImageFiles, LinksOfAnImageStayInIt) {
  ASSERT_TRUE(make_folders(folder_ / "root" / "usr" / "bin"));
  put("root/usr/bin/bash", "");
  std::filesystem::create_directory_symlink("/usr/bin", folder_ / "root" / "bin");
  std::filesystem::create_symlink("/etc/passwd", folder_ / "root" / "outside");
  EXPECT_TRUE(is_in_image(folder_ / "root", "/bin/bash"));
  EXPECT_FALSE(is_in_image(folder_ / "root", "/outside"));
  EXPECT_FALSE(make_image_root({{"root", (folder_ / "gone").string()}}, folder_ / "image", {}));
}

using Sdk = InFolder;

TEST_F(Sdk, UnpacksOnce) {
  const auto first = unpack_sdk(folder_);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_TRUE(std::filesystem::exists(*first / "roost" / "run.py"));
  EXPECT_EQ(unpack_sdk(folder_).value(), *first);
  EXPECT_EQ(::access((*first / "in_run" / "bin" / "pip").c_str(), X_OK), 0);
}

using PreferPython = InFolder;

TEST_F(PreferPython, AFolderWithoutPythonGetsOneByThatName) {
  put("python3.99", "");
  Variables variables = {{"PATH", "/usr/bin"}};
  ASSERT_TRUE(prefer_python((folder_ / "python3.99").string(), folder_ / "bin", "/sdk/pip", variables));
  EXPECT_EQ(variables["PATH"], (folder_ / "bin").string() + ":/usr/bin");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "bin" / "python"));
  EXPECT_EQ(std::filesystem::read_symlink(folder_ / "bin" / "pip3"), "/sdk/pip");
}

TEST_F(PreferPython, AFolderWithPythonComesFirstAndAPipForItNext) {
  put("python", "");
  std::filesystem::permissions(folder_ / "python", std::filesystem::perms::owner_all);
  Variables variables = {{"PATH", ""}};
  ASSERT_TRUE(prefer_python((folder_ / "python").string(), folder_ / "bin", "/sdk/pip", variables));
  const std::string folder = folder_.string();
  EXPECT_EQ(variables["PATH"], folder + ":" + folder + "/bin:/usr/local/bin:/usr/bin:/bin");
}

using InstalledPackages = InFolder;

TEST_F(InstalledPackages, AreToldByTheNamesOfTheirRecords) {
  const auto site = folder_ / "lib" / "python3.11" / "site-packages";
  for (const char* name : {"zeta_two-2.0.dist-info", "old-1.0-py3.6.egg-info", "~amma-1.0.dist-info", "alpha"}) {
    ASSERT_TRUE(make_folders(site / name));
  }
  ASSERT_TRUE(make_folders(folder_ / "elsewhere" / "site-packages" / "secret-1.0.dist-info"));
  std::filesystem::create_directory_symlink(folder_ / "elsewhere", folder_ / "lib" / "python3.12");
  put("lib/python3.11/site-packages/mine.egg-link", "");
  EXPECT_EQ(installed_packages(folder_), (std::vector<std::string>{"mine", "old 1.0", "zeta_two 2.0"}));
  EXPECT_TRUE(installed_packages(folder_ / "nowhere").empty());
  EXPECT_EQ(installed_text({}), "");
  const std::string text = installed_text(std::vector<std::string>(40, "x 1"));
  EXPECT_TRUE(text.find("x 1 and 10 more;") != std::string::npos) << text;
}

TEST(Usage, SamplesThisMachine) {
  const Nvml none;
  Usage usage("/", none);
  const Json sample = usage.sample();
  EXPECT_GT(sample["memory_used_mb"].get<double>(), 0);
  EXPECT_GE(sample["cpu_percent"].get<double>(), 0);
  EXPECT_GT(sample["disk_free_gb"].get<double>(), 0);
}

TEST(PortHold, IsGoodForAllRunnersOfTheMachineAndEndsWithItsHolder) {
  constexpr int kFirst = 16105;  // away from the runs that this machine may have
  auto one = PortHold::take(kFirst, 2);
  ASSERT_TRUE(one);
  const auto held = one->ports();
  const auto other = PortHold::take(kFirst, 2);
  ASSERT_TRUE(other);
  for (const int port : other->ports()) {
    EXPECT_EQ(std::count(held.begin(), held.end(), port), 0) << port;
    EXPECT_LT(port, 32768) << "none that the kernel gives away by itself";
  }
  one = PortHold::take(kFirst + 4000, 1);
  ASSERT_TRUE(one);
  const auto again = PortHold::take(held.front(), 1);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->ports().front(), held.front());
}

TEST(MpiNode, ReadsHowARankEnded) {
  EXPECT_EQ(parse_process_end("exit 3 17\n")->exit_code, 3);
  EXPECT_EQ(parse_process_end("exit 3 17\n")->at, 17);
  EXPECT_EQ(parse_process_end("signal 11 17")->signal, 11);
  EXPECT_EQ(parse_process_end("launch 2 17")->launch_errno, 2);
  for (const char* text : {"", "exit", "exit 3", "signal 900 17", "slept 3 17"}) EXPECT_FALSE(parse_process_end(text)) << text;
}

TEST(MpiNode, TakesEachAskOnceAndReadsNoLinks) {
  const std::filesystem::path folder = ::testing::TempDir() + "roost_mpi_node";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  MpiNode node(folder, "/x/roost-mpi");
  const std::vector<NodeFacts> nodes = {{"a", "10.0.0.1", "10.0.0.0/24", {}, "m", ""}, {"b", "10.0.0.2", "10.0.0.0/24", {}, "m", ""}};
  EXPECT_TRUE(node.take_asks(nodes).empty());
  std::ofstream(folder / "ask-b") << "orted --x";
  std::filesystem::create_symlink("/etc/passwd", folder / "ask-a");
  const auto asks = node.take_asks(nodes);
  ASSERT_EQ(asks.size(), 1U);
  EXPECT_EQ(asks[0].node + ": " + asks[0].command, "b: orted --x");
  EXPECT_TRUE(node.take_asks(nodes).empty());
  EXPECT_FALSE(node.end_of(0));
  std::ofstream(folder / "rank-0.end") << "signal 9 5\n";
  EXPECT_EQ(node.end_of(0)->signal, 9);
  std::ofstream(node.launcher_log()) << "roost: /x\n-----\nno slots\n-----\n";
  EXPECT_EQ(node.last_words(), "no slots");
  const auto launcher = node.launcher({Gang::Kind::kMpi, 2, 3, true, 0, ""}, nodes, {{"A", "1"}});
  EXPECT_EQ(launcher.program, (std::vector<std::string>{"/x/roost-mpi", "start", "3", "a=10.0.0.0/24", "b=10.0.0.0/24"}));
  std::map<std::string, std::string> set;
  add_mpi_variables(nodes, set);
  EXPECT_EQ(set["UCX_TLS"], "self,tcp");
}

}  // namespace
}  // namespace roost
