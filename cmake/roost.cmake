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

# With CMAKE_UNITY_BUILD (`make demo UNITY=ON`) the files of a folder are compiled eight at a time as if they were one, in less
# time, because the large headers are what takes it. Two files that give different things the same name in their
# anonymous namespaces cannot go together: a compiler's "redefinition" in Unity/... names one, which goes into this list. So
# do coroutines that hold what is in an anonymous namespace. The routes of the server all have a list() and a get().
set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)
set(roost_compiled_alone
  base/tree_beneath.cc builders/node_packages.cc cli/rank_table.cc domain/run_column.cc domain/run_params.cc net/event.cc
  net/session_stream.cc
  observe/merged_logs.cc observe/metric_query.cc observe/one_log.cc records/alert_records.cc records/attempt_records.cc
  records/purge_records.cc records/retention_records.cc records/run_table.cc
  records/workspace_records.cc runner/collect_outputs.cc runner/notices.cc
  snapshot/folder_reader.cc snapshot/ignore_pattern.cc snapshot/upload.cc)
function(roost_compile_alone folder)
  foreach(source ${ARGN})
    if("${folder}/${source}" IN_LIST roost_compiled_alone OR folder STREQUAL server)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
endfunction()

# roost_library(NAME SOURCES ... LINK ... TESTS ...): the static library roost_NAME and, from the
# listed tests, the program roost_NAME_test.
function(roost_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK;TESTS" ${ARGN})
  add_library(roost_${name} STATIC ${arg_SOURCES})
  roost_compile_alone(${name} ${arg_SOURCES})
  target_link_libraries(roost_${name} PUBLIC ${arg_LINK} PRIVATE roost_options)
  target_include_directories(roost_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  roost_precompile(roost_${name})
  if(ROOST_TESTS AND arg_TESTS)
    add_executable(roost_${name}_test ${arg_TESTS})
    target_link_libraries(roost_${name}_test PRIVATE roost_${name} roost_options GTest::gtest_main)
    roost_precompile(roost_${name}_test)
    set_target_properties(roost_${name}_test PROPERTIES UNITY_BUILD OFF)  # each has helpers of the same names
    gtest_discover_tests(roost_${name}_test DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 120)
  endif()
endfunction()
