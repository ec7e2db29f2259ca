#include "server/data_id.h"

#include "base/files.h"
#include "records/test_database.h"

namespace roost {
namespace {

class DataId : public DatabaseFixture {
 protected:
  void SetUp() override {
    DatabaseFixture::SetUp();
    file_ = folder_ / "id";
  }
  std::string open() { return open_data_id(file_, *db_).value(); }
  std::filesystem::path file_;
};

TEST_F(DataId, IsMadeOnceAndOutlivesTheLossOfItsFile) {
  const std::string id = open();
  EXPECT_EQ(id.size(), 32U);
  EXPECT_EQ(read_file(file_).value(), id + "\n");
  EXPECT_EQ(open(), id);
  std::filesystem::remove(file_);
  EXPECT_EQ(open(), id);
  EXPECT_EQ(read_file(file_).value(), id + "\n");
}

TEST_F(DataId, TheDatabaseIsBelievedBeforeTheFile) {
  const std::string id = open();
  ASSERT_TRUE(write_file_atomic(file_, "another\n"));
  EXPECT_EQ(open(), id);
}

}  // namespace
}  // namespace roost
