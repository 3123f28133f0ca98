# MORAINE_ARCH is what -march gets, or "baseline" for the compiler's default. Unless told otherwise we take x86-64-v3
# (AVX2, eight float lanes) when the machine that builds can run it.

if(NOT DEFINED MORAINE_ARCH)
    set(default_arch baseline)
    if(NOT CMAKE_CROSSCOMPILING AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
        set(probe ${PROJECT_BINARY_DIR}/CMakeFiles/cpu_probe.cpp)
        file(WRITE ${probe} "int main() { return __builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\") ? 0 : 1; }\n")
        try_run(MORAINE_CPU_PROBE_EXIT MORAINE_CPU_PROBE_COMPILED ${PROJECT_BINARY_DIR} ${probe})
        if(MORAINE_CPU_PROBE_COMPILED AND MORAINE_CPU_PROBE_EXIT EQUAL 0)
            set(default_arch x86-64-v3)
        endif()
    endif()
    set(MORAINE_ARCH ${default_arch} CACHE STRING "What to pass to -march, or baseline")
endif()
message(STATUS "Moraine is built for ${MORAINE_ARCH}")
