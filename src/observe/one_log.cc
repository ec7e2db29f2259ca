#include "base/text.h"
#include "observe/log_feed.h"

namespace roost {
namespace {

constexpr std::size_t kPiece = 256 * 1024;

class OneLog final : public LogFeed {
 public:
  OneLog(const LogStore& logs, std::string run, std::string name, std::uint64_t offset)
      : logs_(logs), run_(std::move(run)), name_(std::move(name)), offset_(offset) {}

  Result<std::vector<LogPiece>> next(std::int64_t attempt, bool over) override {
    std::vector<LogPiece> pieces;
    ROOST_TRY(const std::string bytes, logs_.read(run_, attempt, name_, offset_, kPiece));
    if (bytes.empty()) return pieces;
    std::size_t cut = 0;
    const bool is_last = over && bytes.size() < kPiece;
    std::string text = to_utf8(bytes, is_last ? nullptr : &cut);
    offset_ += bytes.size() - cut;
    if (!text.empty()) pieces.push_back({name_, std::nullopt, offset_, std::move(text)});
    return pieces;
  }

  void start_again() override { offset_ = 0; }

 private:
  const LogStore& logs_;
  const std::string run_;
  const std::string name_;
  std::uint64_t offset_;
};

}  // namespace

std::unique_ptr<LogFeed> one_log(const LogStore& logs, std::string run, std::string name,
                                 std::uint64_t offset) {
  return std::make_unique<OneLog>(logs, std::move(run), std::move(name), offset);
}

}  // namespace roost
