# cmake -DOUT=x.cc -DROOT=dir -DFUNCTION=embedded_sdk -DHEADER=runner/embedded_sdk.h -P embed.cmake FILES...
# Writes a C++ file whose FUNCTION gives the FILES (relative to ROOT; all below it when none are named) as
# (path, content) pairs.
if(NOT DEFINED FILES)
  file(GLOB_RECURSE FILES RELATIVE ${ROOT} ${ROOT}/*)
endif()
set(body "#include \"${HEADER}\"\n\nnamespace roost {\nnamespace {\n")
set(table "")
set(count 0)
foreach(file ${FILES})
  file(READ ${ROOT}/${file} hex HEX)
  string(LENGTH "${hex}" length)
  math(EXPR length "${length} / 2")
  string(REGEX REPLACE "(................................)" "\\1\"\n\"" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" hex "${hex}")
  string(APPEND body "constexpr char kFile${count}[] =\n\"${hex}\";\n")
  string(APPEND table "      {\"${file}\", {kFile${count}, ${length}}},\n")
  math(EXPR count "${count} + 1")
endforeach()
string(APPEND body "}  // namespace\n\n"
  "const std::vector<std::pair<std::string_view, std::string_view>>& ${FUNCTION}() {\n"
  "  static const std::vector<std::pair<std::string_view, std::string_view>> files = {\n"
  "${table}  };\n  return files;\n}\n\n}  // namespace roost\n")
file(WRITE ${OUT} "${body}")
