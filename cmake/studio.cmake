# cmake -DSOURCE=studio -DOUT=folder -DNPM=npm -P studio.cmake
# Builds the studio into OUT. What it needs comes from the npm registry by the lock file, once.
file(LOCK ${SOURCE}/.build-lock GUARD PROCESS TIMEOUT 600)
set(installed ${SOURCE}/node_modules/.package-lock.json)
if(NOT EXISTS ${installed} OR ${SOURCE}/package-lock.json IS_NEWER_THAN ${installed})
  execute_process(COMMAND ${NPM} ci --no-audit --no-fund --loglevel=error WORKING_DIRECTORY ${SOURCE}
                  RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(failed)
    message(FATAL_ERROR "npm could not install what the studio is built with:\n${said}")
  endif()
  file(TOUCH ${installed})
endif()
set(ENV{STUDIO_OUT} ${OUT})
execute_process(COMMAND ${NPM} run --silent build WORKING_DIRECTORY ${SOURCE} RESULT_VARIABLE failed
                OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(failed)
  message(FATAL_ERROR "the studio does not build:\n${said}")
endif()
