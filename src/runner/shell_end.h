#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "runner/side_door.h"

namespace roost {

// What a session leads to on this node: a program beside those of the run, or a port. Its bytes go through `input` and
// `outputs`, which do not block.
class ShellEnd {
 public:
  // What the order says: {"kind": "exec", "command": [...], "terminal": {"rows", "columns", "type"}, "rank"} or
  // {"kind": "port", "port"}.
  static Result<std::unique_ptr<ShellEnd>> open(const Json& order, const SideDoor& door);
  // Hangs up: a program gets SIGHUP, and whatever it is, it has no input and nobody who reads.
  ~ShellEnd();
  ShellEnd(const ShellEnd&) = delete;
  ShellEnd& operator=(const ShellEnd&) = delete;

  int input() const { return input_.get(); }  // -1 once it was closed
  struct Output {
    const char* name;  // "out" or "err"
    Fd fd;
  };
  std::vector<Output>& outputs() { return outputs_; }
  // Readable when the program has ended; -1 if there is none.
  int end_fd() const { return end_.get(); }
  // To be called once that is: {"exit_code"}, {"signal"} or {"error"}.
  Json how_it_ended();

  void close_input();
  void resize(int rows, int columns) const;
  // To the program; a terminal sends them by itself.
  void signal(int number) const;

 private:
  ShellEnd() = default;
  Status open_program(const Json& order, const SideDoor& door);
  Status open_port(int port);

  Fd input_;
  std::vector<Output> outputs_;
  Fd terminal_;  // of a program that has one, to be resized
  Fd end_;
  int id_ = 0;
  bool has_ended_ = false;
  std::shared_ptr<SideStart> start_;
  std::string program_;
};

}  // namespace roost
