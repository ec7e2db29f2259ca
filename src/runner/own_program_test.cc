#include "runner/own_program.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/digest.h"
#include "base/files.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

TEST(OwnProgram, IsThisOne) {
  const OwnProgram program = own_program();
  EXPECT_EQ(fs::canonical("/proc/self/exe"), program.path);
  Variables variables;
  add_own_program(program, variables);
  EXPECT_EQ(program.path.string(), variables["ROOST_PROGRAM"]);
}

// Lays the binds out as an image would have them, and starts this test by the script.
TEST(OwnProgram, StartsWithItsOwnLibraries) {
  const fs::path folder = fs::temp_directory_path() / ("roost-own-program-" + random_hex(8));
  fs::create_directories(folder);
  const auto made = program_in_image(own_program(), folder);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ("/roost-program/roost", made->start);
  for (const auto& bind : made->binds) {
    EXPECT_TRUE(bind.read_only && bind.is_file);
    const fs::path place = folder.string() + bind.at;
    fs::create_directories(place.parent_path());
    if (place.filename() != "roost") {
      fs::create_symlink(bind.source, place);
      continue;
    }
    std::string script = read_file(bind.source).value_or("");
    for (std::size_t at = 0; (at = script.find(" /roost-program", at)) != std::string::npos;) {
      script.insert(at + 1, folder.string());
      at += folder.string().size() + 2;
    }
    ASSERT_TRUE(write_file_atomic(place, script, 0755));
  }
  const std::string line = (folder / "roost-program/roost").string() + " --gtest_list_tests > " + (folder / "out").string();
  EXPECT_EQ(0, std::system(line.c_str()));
  EXPECT_NE(std::string::npos, read_file(folder / "out").value_or("").find("StartsWithItsOwnLibraries"));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace roost
