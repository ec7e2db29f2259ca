#include "base/inside_write.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/files.h"
#include "base/subprocess.h"

namespace roost {
namespace {

using std::chrono::seconds;

// What a thread does between two marks; with assertions it does not outlive the first thing.
void touch_files() {
  (void)read_file("/proc/self/cmdline");
  (void)remove_tree("/no/such/tree");
  (void)run_command({"true"}, "", {}, seconds(10));
}

TEST(InsideWrite, FileWorkIsCaughtAndNamed) {
#ifdef NDEBUG
  const auto before = caught_inside_write();
  testing::internal::CaptureStderr();
  {
    const InsideWrite mark("submit_run (request 5)");
    touch_files();
  }
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_GE(caught_inside_write() - before, 3);
  for (const char* what : {"reads a file", "removes files", "runs a program"}) {
    EXPECT_NE(said.find(std::string("submit_run (request 5) ") + what), std::string::npos) << said;
  }
#else
  EXPECT_DEATH(
      {
        const InsideWrite mark("submit_run (request 5)");
        touch_files();
      },
      "submit_run .request 5. reads a file inside a write of the database");
#endif
}

TEST(InsideWrite, OutsideAndOnOtherThreadsFilesAreFree) {
  const auto before = caught_inside_write();
  touch_files();
  {
    const InsideWrite mark("somebody");
    std::jthread(touch_files).join();
  }
  touch_files();
  EXPECT_EQ(caught_inside_write(), before);
}

}  // namespace
}  // namespace roost
