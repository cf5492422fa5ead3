# SPDX-License-Identifier: MIT
# The Python package below tools/python, and ssreport and ssimport, which start it. Python is not needed to build or to install them.
set(python_dir lib/showstopper/python)
set(python_programs ssreport ssimport)
set(module_of_ssreport main)
set(module_of_ssimport importing)
foreach(launcher_program ${python_programs})
	set(launcher_module ${module_of_${launcher_program}})
	# In the build folder they take the package from the sources, where they write nothing.
	set(launcher_package ${CMAKE_SOURCE_DIR}/tools/python)
	configure_file(tools/python/launcher.in ${launcher_program} @ONLY FILE_PERMISSIONS
		OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
	add_custom_target(${launcher_program} ALL)
	add_dependencies(${launcher_program} revision)
	# Installed, from where it lies itself.
	file(RELATIVE_PATH launcher_package ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_PREFIX}/${python_dir})
	configure_file(tools/python/launcher.in python/${launcher_program} @ONLY)
	install(PROGRAMS ${CMAKE_BINARY_DIR}/python/${launcher_program} DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT report)
endforeach()

install(DIRECTORY tools/python/showstopper DESTINATION ${python_dir} COMPONENT report FILES_MATCHING PATTERN *.py PATTERN py.typed
	PATTERN .* EXCLUDE PATTERN __pycache__ EXCLUDE)
install(FILES ${build_python} DESTINATION ${python_dir}/showstopper COMPONENT report)
foreach(section 1 7)
	file(GLOB manuals CONFIGURE_DEPENDS tools/python/*.${section})
	install(FILES ${manuals} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section} COMPONENT report)
endforeach()
