#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "builders/build_order.h"

namespace roost {

// Builds one environment, and returns when that is over. Thread-safe.
class EnvironmentBuilder {
 public:
  virtual ~EnvironmentBuilder() = default;
  struct Hooks {
    // The process that builds, by its number; 0 when it cannot be named by that any more. end_build() ends it.
    std::function<void(int pid)> runs;
    std::function<void(std::string_view text)> prints;
  };
  // What was built, or the line that matters. Then nothing of the build is left but the order's folder.
  virtual Result<BuiltEnvironment> build(const BuildOrder& order, const Hooks& hooks) = 0;
  // Ends the process, with everything below it.
  virtual void end_build(int pid) = 0;
};

// Each in a process of its own (`roost build-environment`) that dies with the server.
class BuilderProcess final : public EnvironmentBuilder {
 public:
  explicit BuilderProcess(std::string program) : program_(std::move(program)) {}
  Result<BuiltEnvironment> build(const BuildOrder& order, const Hooks& hooks) override;
  void end_build(int pid) override;

 private:
  const std::string program_;
};

}  // namespace roost
