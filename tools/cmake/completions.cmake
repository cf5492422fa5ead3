# SPDX-License-Identifier: MIT
# What bash, zsh and fish complete: a script of each for each program, which asks the program (src/cli/complete.h).
if(NOT SHOWSTOPPER_COMPLETIONS)
	return()
endif()
set(source ${CMAKE_SOURCE_DIR}/tools/cmake/completions)
set(made ${CMAKE_BINARY_DIR}/completions)
foreach(program showstopper ${tools})
	configure_file(${source}/complete.bash ${made}/bash/${program} @ONLY)
	configure_file(${source}/complete.zsh ${made}/zsh/_${program} @ONLY)
	configure_file(${source}/complete.fish ${made}/fish/${program}.fish @ONLY)
endforeach()

install(DIRECTORY ${made}/bash/ DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
# Where zsh looks below /usr/local too; package_files.cmake moves them to where Debian wants those of its packages.
install(DIRECTORY ${made}/zsh/ DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(DIRECTORY ${made}/fish/ DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
