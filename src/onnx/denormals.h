#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace roost {

// While it lives, this thread computes numbers too small for full precision as zero: they cost a hundred times as much
// as others, and a model that decays towards zero is full of them. The library does this for threads of its own only.
class FlushDenormals {
 public:
  FlushDenormals() : before_(get()) { set(before_ | kBits); }
  ~FlushDenormals() { set(before_); }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
#if defined(__x86_64__)
  using Register = std::uint32_t;
  static constexpr Register kBits = 0x8040;  // results, and operands
  static Register get() { return _mm_getcsr(); }
  static void set(Register value) { _mm_setcsr(value); }
#elif defined(__aarch64__)
  using Register = std::uint64_t;
  static constexpr Register kBits = 1ULL << 24;
  static Register get() {
    Register value = 0;
    asm volatile("mrs %0, fpcr" : "=r"(value));
    return value;
  }
  static void set(Register value) { asm volatile("msr fpcr, %0" : : "r"(value)); }
#else
  using Register = int;
  static constexpr Register kBits = 0;
  static Register get() { return 0; }
  static void set(Register) {}
#endif
  Register before_;
};

}  // namespace roost
