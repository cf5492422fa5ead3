# SPDX-License-Identifier: MIT
# What bash, zsh and fish complete: a script of each for each program, which asks the program (src/cli/complete.h).
foreach(program showstopper ${tools})
	configure_file(tools/cmake/completions/complete.bash completions/bash-completion/completions/${program} @ONLY)
	configure_file(tools/cmake/completions/complete.zsh completions/zsh/site-functions/_${program} @ONLY)
	configure_file(tools/cmake/completions/complete.fish completions/fish/vendor_completions.d/${program}.fish @ONLY)
endforeach()
# zsh looks there below /usr/local, too; package_files.cmake moves it to where Debian wants that of its packages.
foreach(folder bash-completion/completions zsh/site-functions fish/vendor_completions.d)
	install(DIRECTORY ${CMAKE_BINARY_DIR}/completions/${folder}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder})
endforeach()
