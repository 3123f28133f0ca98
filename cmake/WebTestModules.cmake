# Fetches what the browser tests need, once.
#   cmake -D WEB=tests/web -D OUT=build/tests/web -D NPM=npm -P WebTestModules.cmake

if(EXISTS ${OUT}/node_modules/playwright-core/package.json)
    return()
endif()
file(MAKE_DIRECTORY ${OUT})
foreach(name package.json package-lock.json)
    configure_file(${WEB}/${name} ${OUT}/${name} COPYONLY)
endforeach()
execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error WORKING_DIRECTORY ${OUT}
    COMMAND_ERROR_IS_FATAL ANY)
