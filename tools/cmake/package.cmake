# SPDX-License-Identifier: MIT
# `cpack` in a build folder makes Debian packages of what was built there (tools/setup package installs what that needs).
# There is no address yet: .invalid says so.
set(SHOWSTOPPER_MAINTAINER "The Showstopper authors <showstopper@packages.invalid>" CACHE STRING
	"Who answers for the Debian packages, as NAME <ADDRESS>")

set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT ${SHOWSTOPPER_MAINTAINER})
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/tools/cmake/package_files.cmake)
set(CPACK_SHOWSTOPPER_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_SHOWSTOPPER_REVISION_HEADER ${CMAKE_BINARY_DIR}/revision.h)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# Two packages: all that is in C, and the reports, which need Python.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL programs report)
# Each has a first line of its own.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")

set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME showstopper)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SUGGESTS showstopper-report)
set(CPACK_DEBIAN_PROGRAMS_DESCRIPTION "${PROJECT_DESCRIPTION}
Most benchmarks run flat out, but real machines run partly loaded. This
starts any unmodified command, as many instances of it as wanted, and holds
the load of all processors, other programs included, at a target, which may
be constant or follow a recorded trace. It does so by stopping and continuing
the instances under feedback control, many times a second.

With it come a workload, recorders of load and of iterations, a client that
sends requests, a compiler of load traces, a simulator, and a header and
examples for modules of one's own. Tables and pictures of what was recorded
are made by the package showstopper-report.")

set(CPACK_DEBIAN_REPORT_PACKAGE_NAME showstopper-report)
set(CPACK_DEBIAN_REPORT_PACKAGE_SECTION science)
set(CPACK_DEBIAN_REPORT_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_REPORT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_REPORT_PACKAGE_DEPENDS "python3 (>= 3.11), python3-matplotlib, python3-numpy, python3-pandas, python3-scipy, python3-statsmodels, tzdata")
set(CPACK_DEBIAN_REPORT_PACKAGE_RECOMMENDS "showstopper, python3-zstandard")
set(CPACK_DEBIAN_REPORT_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/tools/cmake/report/postinst ${CMAKE_SOURCE_DIR}/tools/cmake/report/prerm)
set(CPACK_DEBIAN_REPORT_DESCRIPTION "Makes tables and pictures of experiments with Showstopper
The program ssreport reads what showstopper, cpuload, ssiterate, ssrequest
and other clients have recorded, brings it onto one clock, and says how
accurately a load was held, what throughput and which response times there
were at which load, and whether measurements differ, in tables and in
pictures for publications. The program ssimport makes load traces of what
sysstat, Prometheus, collectd and others have recorded. The same is there for
notebooks, as the Python package showstopper.")

include(CPack)
