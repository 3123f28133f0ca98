# Makes the viewer's pages with npm and esbuild. Where that cannot be done the build goes on with a page that says so.
#   cmake -D WEB=web -D OUT=build/page -D NPM=npm -D NODE=node -P BuildPage.cmake

file(MAKE_DIRECTORY ${OUT})

function(give_up why)
    foreach(page viewer report)
        configure_file(${WEB}/src/without_page.html ${OUT}/${page}.html COPYONLY)
    endforeach()
    file(REMOVE ${OUT}/modules.lock)
    message("moraine: the viewer's page is left out: ${why}. Everything else is built. With npm (Debian: apt install "
        "nodejs npm), build again after touching web/package.json.")
endfunction()

if(NOT NPM OR NOT NODE)
    give_up("npm is not installed")
    return()
endif()

# The modules are fetched once; the lock file says whether they are still the right ones.
file(READ ${WEB}/package-lock.json wanted)
set(have "")
if(EXISTS ${OUT}/modules.lock)
    file(READ ${OUT}/modules.lock have)
endif()
if(NOT have STREQUAL wanted)
    configure_file(${WEB}/package.json ${OUT}/package.json COPYONLY)
    configure_file(${WEB}/package-lock.json ${OUT}/package-lock.json COPYONLY)
    # A second time where it fails: another npm at work, in another build, can take files from under it.
    foreach(attempt 1 2)
        execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error
            WORKING_DIRECTORY ${OUT} RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE said TIMEOUT 600)
        if(NOT failed)
            break()
        endif()
    endforeach()
    if(failed)
        string(REGEX MATCH "^[^\n]*(\n[^\n]*)?(\n[^\n]*)?" said "${said}")
        string(REPLACE "\n" "; " said "${said}")
        give_up("npm could not fetch its packages (${said})")
        return()
    endif()
    file(WRITE ${OUT}/modules.lock "${wanted}")
endif()

execute_process(COMMAND ${NODE} ${WEB}/build.mjs ${OUT} ${OUT}/node_modules
    RESULT_VARIABLE failed ERROR_VARIABLE said TIMEOUT 300)
if(failed)
    message(FATAL_ERROR "moraine: the viewer's page has an error:\n${said}")
endif()
