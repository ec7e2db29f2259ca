# The compiler settings and the two functions every folder of src/ uses.

add_library(roost_options INTERFACE)
target_compile_options(roost_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Werror)
target_include_directories(roost_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_compile_definitions(roost_options INTERFACE ROOST_VERSION="${PROJECT_VERSION}")
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(roost_options INTERFACE -Wthread-safety)
endif()
if(ROOST_SANITIZE)
  add_compile_options(-fsanitize=${ROOST_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ROOST_SANITIZE})
  add_compile_definitions(ROOST_SANITIZED)
endif()

# nlohmann/json alone costs four seconds in every file that has it: read it once. All targets share
# the header compiled for roost_base, which is declared first.
function(roost_precompile target)
  if(target STREQUAL roost_base)
    target_precompile_headers(roost_base PRIVATE
      <functional> <map> <memory> <optional> <string> <string_view> <vector>
      <fmt/format.h> <nlohmann/json.hpp> <tl/expected.hpp>)
  else()
    target_precompile_headers(${target} REUSE_FROM roost_base)
  endif()
endfunction()

# roost_library(NAME SOURCES ... LINK ... TESTS ...): the static library roost_NAME and, from the
# listed tests, the program roost_NAME_test.
function(roost_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK;TESTS" ${ARGN})
  add_library(roost_${name} STATIC ${arg_SOURCES})
  target_link_libraries(roost_${name} PUBLIC ${arg_LINK} PRIVATE roost_options)
  target_include_directories(roost_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  roost_precompile(roost_${name})
  if(ROOST_TESTS AND arg_TESTS)
    add_executable(roost_${name}_test ${arg_TESTS})
    target_link_libraries(roost_${name}_test PRIVATE roost_${name} roost_options GTest::gtest_main)
    roost_precompile(roost_${name}_test)
    gtest_discover_tests(roost_${name}_test DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 120)
  endif()
endfunction()
