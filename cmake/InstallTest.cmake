# Installs the build tree into a fresh prefix, then configures, builds and runs examples/embed against it as a user would.
#   cmake -D BUILD_DIR=... -D SOURCE_DIR=... -D CXX=... -D GENERATOR=... -P InstallTest.cmake

set(work ${BUILD_DIR}/install-test)
file(REMOVE_RECURSE ${work})

function(run)
    execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${work}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE_DIR}/examples/embed -B ${work}/embed -G ${GENERATOR}
    -D CMAKE_BUILD_TYPE=Release -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_PREFIX_PATH=${work}/prefix)
run(${CMAKE_COMMAND} --build ${work}/embed)
run(${work}/embed/embed)
