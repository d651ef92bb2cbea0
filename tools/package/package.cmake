# What other programs find the library by: zwang.pc and zwang-static.pc for pkg-config, zwangConfig.cmake for
# CMake's find_package. All of them know the prefix by where they lie, so an installed tree may be moved.
include(CMakePackageConfigHelpers)

# libzwang.a leaves these to the program; libzwang.so has them in itself or loads them
set(ZW_STATIC_LIBRARIES ${ZW_NUM_LIBRARIES} ${ZW_CAIRO_LIBRARIES} pthread dl m)
list(JOIN ZW_NUM_LIBRARIES " " ZW_LIBS_PRIVATE)
string(APPEND ZW_LIBS_PRIVATE " -lpthread -ldl -lm")

set(ZW_PC_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH ZW_PC_TO_PREFIX /${ZW_PC_DIR} /)
string(REGEX REPLACE "/$" "" ZW_PC_TO_PREFIX ${ZW_PC_TO_PREFIX})
foreach(name zwang zwang-static)
    configure_file(${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in ${name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${ZW_PC_DIR})
endforeach()

set(ZW_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/zwang)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/zwangConfig.cmake.in zwangConfig.cmake
    INSTALL_DESTINATION ${ZW_CMAKE_DIR} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
set(compatible SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
    set(compatible SameMinorVersion) # as the soname
endif()
write_basic_package_version_file(${PROJECT_BINARY_DIR}/zwangConfigVersion.cmake COMPATIBILITY ${compatible})
install(FILES ${PROJECT_BINARY_DIR}/zwangConfig.cmake ${PROJECT_BINARY_DIR}/zwangConfigVersion.cmake
    DESTINATION ${ZW_CMAKE_DIR})
