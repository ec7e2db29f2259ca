#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace roost {

// Lines as the logs of Azure's inference server have them, which people search and programs read:
// "2022-12-24 12:53:32,472 I [32726] azmlinfsrv - message". The time is this machine's, as Python's logging has it.
enum class ServiceLevel : char { kInfo = 'I', kWarning = 'W', kError = 'E' };

std::string service_line(ServiceLevel level, std::string_view message);
void log_service(ServiceLevel level, std::string_view message);  // on standard output, whole

// "POST /score 200 1.234ms 56": method, path with its query, status, how long it took, length of the answer.
std::string access_text(std::string_view method, std::string_view path, std::string_view query, int status, double seconds,
                        std::uint64_t length);

}  // namespace roost
