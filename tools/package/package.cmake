# What is installed beside the programs.
#
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

# Manual pages, made by the command itself; documents; the completion of the shells; the models.
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/man1/zwang.1
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/manual $<TARGET_FILE:zwang_command> ${PROJECT_BINARY_DIR}/man1
    DEPENDS zwang_command ${CMAKE_CURRENT_LIST_DIR}/manual COMMENT "The manual pages" VERBATIM)
file(GLOB_RECURSE documents CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/* ${PROJECT_SOURCE_DIR}/examples/*.c)
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/doc/README.md
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/docs ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/doc
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/licences ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}
        ${PROJECT_BINARY_DIR}/doc/LICENSE
    DEPENDS ${documents} ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/THIRD_PARTY.md ${PROJECT_SOURCE_DIR}/LICENSES ${CMAKE_CURRENT_LIST_DIR}/docs
        ${CMAKE_CURRENT_LIST_DIR}/licences zwang_command # and with it what the page is made of
    COMMENT "The documents" VERBATIM)
add_custom_target(documents ALL DEPENDS ${PROJECT_BINARY_DIR}/man1/zwang.1 ${PROJECT_BINARY_DIR}/doc/README.md)

install(DIRECTORY ${PROJECT_BINARY_DIR}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(DIRECTORY ${PROJECT_BINARY_DIR}/doc/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/zwang)
# the documents' links to models lead to the one place where they are
file(RELATIVE_PATH models_from_doc ${CMAKE_INSTALL_FULL_DOCDIR} ${CMAKE_INSTALL_FULL_DATADIR}/zwang/models)
file(CREATE_LINK ${models_from_doc} ${PROJECT_BINARY_DIR}/models-link SYMBOLIC)
install(FILES ${PROJECT_BINARY_DIR}/models-link DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME models)
set(scripts ${PROJECT_SOURCE_DIR}/tools/completion)
install(FILES ${scripts}/zwang.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME zwang)
install(FILES ${scripts}/_zwang DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${scripts}/zwang.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
