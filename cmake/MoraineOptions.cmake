# Options, and defaults that only apply when Moraine is the top project.

option(BUILD_SHARED_LIBS "Build shared libraries" OFF)
option(MORAINE_BUILD_SCENE "Build the scene library: files, importers, built-in scenes" ${PROJECT_IS_TOP_LEVEL})
option(MORAINE_BUILD_CLI "Build the command line" ${PROJECT_IS_TOP_LEVEL})
option(MORAINE_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(MORAINE_BUILD_BENCH "Build the benchmark" ${PROJECT_IS_TOP_LEVEL})
option(MORAINE_BUILD_FUZZ "Build the fuzzers, with clang only" OFF)
option(MORAINE_INSTALL "Add install rules" ${PROJECT_IS_TOP_LEVEL})
option(MORAINE_WERROR "Treat warnings as errors" OFF)
option(MORAINE_SCALAR_LANES "Run lane kernels one scalar at a time, to compare with the vector build" OFF)
set(MORAINE_SANITIZE "" CACHE STRING "Sanitizers to build with, such as address,undefined or thread")

if(PROJECT_IS_TOP_LEVEL)
    if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
        set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
    endif()

    set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
    set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
    set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
    set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
    set(CMAKE_INSTALL_RPATH $ORIGIN/../${CMAKE_INSTALL_LIBDIR})

    find_program(CCACHE_PROGRAM ccache)
    if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
        set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
    endif()
endif()
