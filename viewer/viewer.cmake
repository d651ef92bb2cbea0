# The viewer: ZW_VIEWER_PAGE is the file that becomes part of the program. See viewer/build.
set(ZW_VIEWER_PAGE ${PROJECT_BINARY_DIR}/viewer/page.html)
if(NOT EXISTS ${PROJECT_BINARY_DIR}/viewer/again)
    file(WRITE ${PROJECT_BINARY_DIR}/viewer/again "") # unlike TOUCH it makes the folder too
endif()
file(GLOB viewer_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/viewer/src/*)
add_custom_command(OUTPUT ${ZW_VIEWER_PAGE}
    COMMAND ${PROJECT_SOURCE_DIR}/viewer/build ${PROJECT_BINARY_DIR}/viewer
    DEPENDS ${viewer_sources} ${PROJECT_SOURCE_DIR}/viewer/build ${PROJECT_SOURCE_DIR}/viewer/build.mjs
        ${PROJECT_SOURCE_DIR}/viewer/package.json ${PROJECT_SOURCE_DIR}/viewer/package-lock.json
        ${PROJECT_SOURCE_DIR}/LICENSES/OFL-1.1.txt
        ${PROJECT_BINARY_DIR}/viewer/again
    COMMENT "The viewer" VERBATIM)
