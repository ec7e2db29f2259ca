#pragma once

#include "runner/attempt.h"
#include "runner/collect_outputs.h"
#include "runner/event_reader.h"

namespace roost {

// The fourth hook: what the server hears of a run while it runs, which is its output, the files in ./logs and the spool,
// what it writes for TensorBoard, that it started, and that a process of it failed; and after its end the rest of its
// streams. What the server answers
// never holds up the run. Times are those of the attempt's monotonic clock.
class AttemptStream {
 public:
  static constexpr Micros kLook = 100'000;  // how often spools and ./logs are looked at
  // A run that ends within this tells of its start with its end. What has output says so at once.
  static constexpr Micros kBeforeTold = 25'000;
  static constexpr Micros kBetweenShips = 15'000;  // a script that prints much is shipped in pieces
  static constexpr Micros kAfterFailure = 250'000;
  static constexpr Micros kBeforeEvents = kSecond;  // a run that is over by then has them read at its end
  static constexpr Micros kForSpace = 600 * kSecond;  // for a server whose disk is full

  explicit AttemptStream(Attempt& attempt);

  // The processes were started just now.
  void begin();
  // They have written something.
  void note_output() { has_output_ = true; }
  // While a ship is not due, more output must not wake anybody again and again.
  bool wants_output() const { return !has_output_; }
  // Sends what is new if it is time for that.
  void go_on();
  // How long until go_on() has to be called again; at most kLook.
  Micros until_due() const;

  // No process runs any more: the streams end as they are now.
  void end();
  // After end(): what was written for TensorBoard and could not be read.
  Notices notices() const { return events_ ? events_->notices() : Notices(); }
  // Ships until the server has everything. False if the attempt was given up meanwhile. With a server whose disk is full
  // it ends early, at once or when nobody wants to wait longer; is_server_full() tells.
  bool ship_all(bool wait_for_space);
  bool is_server_full() const { return is_server_full_; }

 private:
  bool has_failure_to_tell() const;
  void tell_start();
  void tell_failure();

  Attempt& attempt_;
  std::optional<EventReader> events_;  // unless the run does not want it
  Micros begun_ = 0;
  Micros next_look_ = 0;  // for spools and ./logs, whether there was output or not
  Micros next_ship_ = 0;  // at the earliest
  bool has_output_ = false;
  bool is_urgent_ = false;
  bool is_start_told_ = false;
  Micros next_tell_ = 0;  // of the start, once that was not heard
  SpaceWait space_;
  bool is_server_full_ = false;
};

}  // namespace roost
