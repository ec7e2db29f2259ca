#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace roost {

// Reads untrusted JSON from front to back without building a tree: a tensor of a million numbers as a tree takes twenty times
// the room of its bytes. Every error says `what` ("the request body") and the byte where it is wrong. Not thread-safe; the
// text must outlive it.
class JsonReader {
 public:
  JsonReader(std::string_view text, std::string what);

  // The first byte of the next value or sign, '\0' at the end of the text.
  char peek();
  bool take(char sign);  // goes past it if it is next

  // Calls `member` for each name of an object, or `item` for each place of a list; either must read the value.
  Status object(const std::function<Status(const std::string& name)>& member);
  Status list(const std::function<Status()>& item);

  Result<std::string> string();
  // The same without a copy where the text has no escapes; else it is in `scratch`.
  Result<std::string_view> string(std::string& scratch);
  Result<bool> boolean();
  // A whole number, as a number or, as proto3 writes it, in a string.
  Result<std::int64_t> integer();

  // Goes past a value of any kind that must be valid, and gives its text.
  Result<std::string_view> skip();
  // Refuses anything but white space that is left.
  Status end();

  tl::unexpected<Error> wrong(std::string_view expected) const;

  // For those who read numbers by themselves.
  const char* position() const { return at_; }
  const char* limit() const { return end_; }
  void move_to(const char* position) { at_ = position; }
  const std::string& what() const { return what_; }

  static constexpr int kMaxDepth = 64;

 private:
  Status open(char sign);
  void skip_space();
  Status skip_number();
  Status skip_word();
  Status escape(std::string& out);
  Result<unsigned> hex4();

  const char* begin_;
  const char* at_;
  const char* end_;
  std::string what_;
  int depth_ = 0;
};

}  // namespace roost
