# moraine_target(<target>) applies the language level, warnings and floating-point rules that all our code shares.

function(moraine_target target)
    target_compile_features(${target} PUBLIC cxx_std_20)
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)

    # The same bits from every build: the compiler may neither fuse nor reorder floating-point operations.
    target_compile_options(${target} PRIVATE -ffp-contract=off -fno-math-errno -fno-trapping-math)

    # Vector arguments are passed only inside one build, so a note on their calling convention is noise.
    # The others are GCC's known false alarms on std::variant, std::vector and std::string; the sanitizers find real ones.
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-psabi)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-restrict)
    endif()
    if(MORAINE_WERROR)
        target_compile_options(${target} PRIVATE -Werror)
    endif()
    if(NOT MORAINE_ARCH STREQUAL "baseline")
        target_compile_options(${target} PRIVATE -march=${MORAINE_ARCH})
        # GCC 12's vectorizer forms vfmsubadd in spite of -ffp-contract=off, so the instructions are taken away from it.
        if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
            target_compile_options(${target} PRIVATE -mno-fma)
        endif()
    endif()
    if(MORAINE_SCALAR_LANES)
        target_compile_definitions(${target} PRIVATE MORAINE_SCALAR_LANES=1)
    endif()
    if(MORAINE_SANITIZE)
        target_compile_options(${target} PRIVATE -fsanitize=${MORAINE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
        target_link_options(${target} PUBLIC $<BUILD_INTERFACE:-fsanitize=${MORAINE_SANITIZE}>)
    endif()
endfunction()
