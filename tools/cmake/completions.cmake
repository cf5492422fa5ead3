# SPDX-License-Identifier: MIT
# What bash, zsh and fish complete, written from the tables of the programs by a program of each, which the build runs.
# completions/main.c says more.
if(NOT SHOWSTOPPER_COMPLETIONS)
	return()
endif()
if(CMAKE_CROSSCOMPILING)
	message(STATUS "Completions for shells are left out: what makes them can't be run here")
	return()
endif()

set(source ${CMAKE_SOURCE_DIR}/tools/cmake/completions)
set(target_folder ${CMAKE_BINARY_DIR}/completions)
file(MAKE_DIRECTORY ${target_folder}/bash ${target_folder}/zsh ${target_folder}/fish)
add_library(completions-tables OBJECT ${source}/main.c ${source}/tables.c ${source}/arrays.c ${source}/fish.c)
target_link_libraries(completions-tables PUBLIC sscore)

set(completions "")
foreach(name showstopper ${tools})
	set(generator completions-${name})
	add_executable(${generator} ${source}/${name}.c)
	target_include_directories(${generator} PRIVATE ${source})
	target_link_libraries(${generator} PRIVATE completions-tables)
	if(TARGET ${name}-parts)
		target_link_libraries(${generator} PRIVATE ${name}-parts)
	endif()
	set_target_properties(${generator} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/generators)
	set(made ${target_folder}/bash/${name} ${target_folder}/zsh/_${name} ${target_folder}/fish/${name}.fish)
	# The leak sanitizer can't be had everywhere where programs are built.
	add_custom_command(OUTPUT ${made} VERBATIM
		COMMAND ${CMAKE_COMMAND} -E env SHOWSTOPPER_MODULE_PATH=${CMAKE_BINARY_DIR}/modules ASAN_OPTIONS=detect_leaks=0
			$<TARGET_FILE:${generator}> ${source} ${target_folder}
		DEPENDS ${generator} ${bundled_modules} ${source}/complete.bash ${source}/complete.zsh ${source}/complete.fish)
	list(APPEND completions ${made})
endforeach()
add_custom_target(completions ALL DEPENDS ${completions})

install(DIRECTORY ${target_folder}/bash/ DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
# Where zsh looks below /usr/local too; package_files.cmake moves them to where Debian wants those of its packages.
install(DIRECTORY ${target_folder}/zsh/ DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(DIRECTORY ${target_folder}/fish/ DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
