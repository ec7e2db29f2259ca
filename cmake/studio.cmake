# cmake -DSOURCE=studio -DOUT=folder -DNPM=npm -P studio.cmake
# Builds the studio into OUT. What it needs comes from the npm registry by the lock file, once.
file(LOCK ${SOURCE}/.build-lock GUARD PROCESS TIMEOUT 600)
# Node knows its own list of certificates only; what this machine trusts besides, such as a company's, is here.
if(NOT DEFINED ENV{NODE_EXTRA_CA_CERTS} AND EXISTS /etc/ssl/certs/ca-certificates.crt)
  set(ENV{NODE_EXTRA_CA_CERTS} /etc/ssl/certs/ca-certificates.crt)
endif()
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
