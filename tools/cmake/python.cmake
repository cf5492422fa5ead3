# SPDX-License-Identifier: MIT
# The Python package below tools/python, and ssreport, which starts it. Python is not needed to build or to install them.
set(python_dir lib/showstopper/python)

# In the build folder ssreport takes the package from the sources, where it writes nothing.
set(launcher_package ${CMAKE_SOURCE_DIR}/tools/python)
configure_file(tools/python/ssreport.in ssreport @ONLY FILE_PERMISSIONS
	OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
add_custom_target(ssreport ALL)
add_dependencies(ssreport revision)

# Installed, from where it lies itself.
file(RELATIVE_PATH launcher_package ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_PREFIX}/${python_dir})
configure_file(tools/python/ssreport.in python/ssreport @ONLY)
install(PROGRAMS ${CMAKE_BINARY_DIR}/python/ssreport DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT report)
install(DIRECTORY tools/python/showstopper DESTINATION ${python_dir} COMPONENT report FILES_MATCHING PATTERN *.py PATTERN py.typed
	PATTERN .* EXCLUDE PATTERN __pycache__ EXCLUDE)
install(FILES ${build_python} DESTINATION ${python_dir}/showstopper COMPONENT report)
foreach(section 1 7)
	file(GLOB manuals CONFIGURE_DEPENDS tools/python/*.${section})
	install(FILES ${manuals} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section} COMPONENT report)
endforeach()
