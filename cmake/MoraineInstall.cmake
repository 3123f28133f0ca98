# After `cmake --install`, find_package(moraine) gives moraine::moraine, moraine::scene and moraine::response.

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/moraine)

install(TARGETS moraine EXPORT moraine-targets)
install(EXPORT moraine-targets NAMESPACE moraine:: DESTINATION ${package_dir})
if(TARGET moraine_scene)
    install(TARGETS moraine_scene moraine_response EXPORT moraine-scene-targets)
    install(EXPORT moraine-scene-targets NAMESPACE moraine:: DESTINATION ${package_dir})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/moraine DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/moraine-config.cmake.in ${PROJECT_BINARY_DIR}/moraine-config.cmake
    INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/moraine-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/moraine-config.cmake ${PROJECT_BINARY_DIR}/moraine-config-version.cmake
    DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
