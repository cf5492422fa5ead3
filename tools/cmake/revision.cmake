# SPDX-License-Identifier: MIT
# cmake -DSOURCE=DIR -DOUTPUT=FILE -DPYTHON=FILE -DVERSION=VERSION -P revision.cmake: writes a header, and a module of Python, with the
# revision of a checkout, or without one where there is none. It runs in each build, and leaves a file alone that says so already: nothing is
# compiled anew then.
set(revision "")
# Not that of a checkout which the sources only lie in.
if(EXISTS ${SOURCE}/.git)
	execute_process(COMMAND git --no-optional-locks -C ${SOURCE} describe --tags --always --dirty
		OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
	if(status STREQUAL 0)
		# Names of tags may hold what means something in C, in CSV or in a comment of XML.
		string(REGEX REPLACE "[^A-Za-z0-9._/+-]" "_" revision "${described}")
		string(REGEX REPLACE "--+" "-" revision "${revision}")
	endif()
endif()
set(text "/* Written by the build: tools/cmake/revision.cmake. */\n")
if(revision)
	string(APPEND text "#define SHOWSTOPPER_REVISION \"${revision}\"\n")
endif()
function(write_new file text)
	set(present "")
	if(EXISTS ${file})
		file(READ ${file} present)
	endif()
	if(NOT text STREQUAL present)
		file(WRITE ${file} "${text}")
	endif()
endfunction()
write_new(${OUTPUT} "${text}")
write_new(${PYTHON} "# Written by the build: tools/cmake/revision.cmake.\nVERSION = \"${VERSION}\"\nREVISION = \"${revision}\"\n")
