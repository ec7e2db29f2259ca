#pragma once

#include <memory>
#include <string>
#include <utility>

#include "infer/servant.h"

namespace roost {

// Stands for a servant that could not even be made: it fails to start with that error, so that the server is told.
inline std::unique_ptr<Servant> unable_servant(Error error) {
  class Unable final : public Servant {
   public:
    explicit Unable(Error why) : why_(std::move(why)) {}
    Status start() override { return fail(why_); }
    void add_routes(Router&) override {}
    bool is_ready() const override { return false; }
    ServantLoad load() const override { return {}; }
    std::string metrics() const override { return ""; }
    void stop() override {}

   private:
    const Error why_;
  };
  return std::make_unique<Unable>(std::move(error));
}

}  // namespace roost
