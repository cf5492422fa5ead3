# SPDX-License-Identifier: MIT
# What bash, zsh and fish complete: a script of each for each program, which asks the program (src/base/complete.h).
foreach(program showstopper ${tools} ${python_programs})
	set(component programs)
	if(program IN_LIST python_programs)
		set(component report)
	endif()
	# zsh looks there below /usr/local, too; package_files.cmake moves it to where Debian wants that of its packages.
	foreach(script bash:bash-completion/completions/${program} zsh:zsh/site-functions/_${program}
			fish:fish/vendor_completions.d/${program}.fish)
		string(REGEX MATCH "^(.*):((.*)/.*)$" matched ${script})
		set(made ${CMAKE_BINARY_DIR}/completions/${CMAKE_MATCH_2})
		set(folder ${CMAKE_INSTALL_DATADIR}/${CMAKE_MATCH_3})
		configure_file(tools/cmake/completions/complete.${CMAKE_MATCH_1} ${made} @ONLY)
		install(FILES ${made} DESTINATION ${folder} COMPONENT ${component})
	endforeach()
endforeach()
