# SPDX-License-Identifier: MIT
# `cpack` in a build folder makes a Debian package of what was built there (tools/setup package installs what that needs).
# There is no address yet: .invalid says so.
set(SHOWSTOPPER_MAINTAINER "The Showstopper authors <showstopper@packages.invalid>" CACHE STRING
	"Who answers for the Debian package, as NAME <ADDRESS>")

set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT ${SHOWSTOPPER_MAINTAINER})
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/tools/cmake/package_files.cmake)
set(CPACK_SHOWSTOPPER_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_SHOWSTOPPER_REVISION_HEADER ${CMAKE_BINARY_DIR}/revision.h)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS gnuplot-nox)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "\
Most benchmarks run flat out, but real machines run partly loaded. This
starts any unmodified command, as many instances of it as wanted, and holds
the load of all processors, other programs included, at a target, which may
be constant or follow a recorded trace. It does so by stopping and continuing
the instances under feedback control, many times a second.

With it come a workload, recorders of load and of iterations, a compiler of
load traces, a simulator, a program that makes tables and pictures of what
was recorded, and a header and examples for modules of one's own.")

include(CPack)
