#include "base/sealing.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/files.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

class Sealing : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  Sealer sealer() const { return *Sealer::open_or_make(file_); }

  const fs::path folder_ = fs::temp_directory_path() / ("sealing-" + random_hex(6));
  const fs::path file_ = folder_ / "secrets.key";
};

TEST_F(Sealing, WhatWasSealedIsOpenedInItsPlaceOnly) {
  const Sealer made = sealer();
  for (const std::string& text : std::vector<std::string>{"", "hunter2", "two\nlines", std::string(100'000, 'x')}) {
    const std::string sealed = made.seal(text, "here");
    EXPECT_TRUE(is_sealed(sealed));
    if (!text.empty()) {
      EXPECT_EQ(sealed.find(text), std::string::npos);
    }
    EXPECT_EQ(made.open(sealed, "here").value(), text);
    EXPECT_EQ(made.open(sealed, "there").error().code, ErrorCode::kDataMismatch);
    EXPECT_NE(made.seal(text, "here"), sealed) << "equal texts are not seen to be equal";
  }
}

TEST_F(Sealing, ItsKeyIsForItsOwnerAloneAndStays) {
  const std::string sealed = sealer().seal("text", "p");
  struct stat info {};
  ASSERT_EQ(::stat(file_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  EXPECT_EQ(sealer().open(sealed, "p").value(), "text");
}

TEST_F(Sealing, AChangedByteIsNoticed) {
  const Sealer made = sealer();
  const std::string sealed = made.seal("some text", "p");
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    const auto opened = made.open(changed, "p");
    // The last letter of base64 has bits that mean nothing.
    if (opened) {
      EXPECT_EQ(*opened, "some text");
    }
  }
  EXPECT_FALSE(made.open("", "p"));
  EXPECT_FALSE(made.open("roost-sealed:", "p"));
  EXPECT_FALSE(made.open(sealed.substr(0, 30), "p"));
}

TEST_F(Sealing, ANewKeyBeforeTheOldOneSealsAndBothOpen) {
  const std::string before = sealer().seal("old", "p");
  const std::string old_key = *read_file(file_);
  ASSERT_TRUE(write_file_atomic(file_, "# since May\n0a1b2c3d " + random_hex(32) + "\n\n" + old_key, 0600));
  const Sealer both = sealer();
  const std::string after = both.seal("new", "p");
  EXPECT_EQ(both.open(before, "p").value(), "old");
  EXPECT_EQ(both.open(after, "p").value(), "new");
  EXPECT_TRUE(both.is_newest(after));
  EXPECT_FALSE(both.is_newest(before));
  ASSERT_TRUE(write_file_atomic(file_, old_key, 0600));
  const auto lost = sealer().open(after, "p");
  EXPECT_EQ(lost.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_NE(lost.error().message.find("0a1b2c3d"), std::string::npos);
}

TEST_F(Sealing, AFileThatIsNoneOfKeysIsRefused) {
  for (const std::string& text : std::vector<std::string>{"", "nonsense\n", "0a1b2c3d tooshort\n", "xx " + random_hex(32)}) {
    ASSERT_TRUE(write_file_atomic(file_, text, 0600));
    EXPECT_EQ(Sealer::open_or_make(file_).error().code, ErrorCode::kFailedPrecondition) << text;
  }
}

}  // namespace
}  // namespace roost
