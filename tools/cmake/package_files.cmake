# SPDX-License-Identifier: MIT
# Run by cpack between the installation into a folder of each package and the packages: what Debian wants in them, and nobody in
# /usr/local. Manuals and long documents are compressed, completions of zsh put elsewhere, changelog added, and copyright, which is
# LICENSE in Debian's form.

# Without time and name, so that the same sources make the same package.
function(compress)
	execute_process(COMMAND gzip -9nf ${ARGV} RESULT_VARIABLE status)
	if(NOT status STREQUAL 0)
		message(FATAL_ERROR "can't compress ${ARGV}: ${status}")
	endif()
endfunction()

file(READ ${CPACK_SHOWSTOPPER_LICENSE} license)
string(REGEX MATCH "Copyright \\(c\\) ([^\n]*)\n\n(.*)" matched "${license}")
set(holder "${CMAKE_MATCH_1}")
string(STRIP "${CMAKE_MATCH_2}" terms)
string(REPLACE "\n\n" "\n.\n" terms "${terms}")
string(REPLACE "\n" "\n " terms "${terms}")

set(change "Version ${CPACK_PACKAGE_VERSION}.")
file(STRINGS ${CPACK_SHOWSTOPPER_REVISION_HEADER} revision REGEX "SHOWSTOPPER_REVISION")
if(revision)
	string(REGEX REPLACE ".*\"(.*)\".*" "Version ${CPACK_PACKAGE_VERSION}, built from revision \\1." change "${revision}")
endif()
# $SOURCE_DATE_EPOCH, where it is set, else now.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)

# What is below the prefix of that package.
function(finish_package package prefix)
	file(GLOB manuals ${prefix}/share/man/man*/*.[1-9])
	if(NOT manuals)
		message(FATAL_ERROR "no manuals in ${prefix}/share/man")
	endif()
	compress(${manuals})

	# Debian's zsh looks for what packages bring in a folder of its own.
	if(EXISTS ${prefix}/share/zsh/site-functions)
		file(RENAME ${prefix}/share/zsh/site-functions ${prefix}/share/zsh/vendor-completions)
	endif()

	set(documents ${prefix}/share/doc/${package})
	file(WRITE ${documents}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Showstopper

Files: *
Copyright: ${holder}
License: Expat
 ${terms}
")
	file(REMOVE ${documents}/LICENSE)
	if(EXISTS ${documents}/README.md)
		file(READ ${documents}/README.md readme)
		string(REPLACE "[LICENSE](LICENSE)" "[copyright](copyright)" readme "${readme}")
		file(WRITE ${documents}/README.md "${readme}")
	endif()
	# As debhelper has it: 4 KiB can stay, and so do examples.
	file(GLOB_RECURSE long ${documents}/*.md)
	foreach(document IN LISTS long)
		file(SIZE ${document} size)
		if(size GREATER 4096)
			compress(${document})
		endif()
	endforeach()
	file(WRITE ${documents}/changelog "${package} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * ${change}

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
	compress(${documents}/changelog)

	# Whatever umask it is made with. Folders were made by cpack, and share/ holds nothing to execute.
	file(GLOB_RECURSE entries LIST_DIRECTORIES true ${prefix}/*)
	foreach(entry IN LISTS entries ITEMS ${prefix})
		if(IS_DIRECTORY ${entry})
			file(CHMOD ${entry} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
			continue()
		endif()
		file(RELATIVE_PATH inside ${prefix} ${entry})
		if(inside MATCHES "^share/")
			file(CHMOD ${entry} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
		endif()
	endforeach()
endfunction()

finish_package(${CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME} ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/programs${CPACK_PACKAGING_INSTALL_PREFIX})
finish_package(${CPACK_DEBIAN_REPORT_PACKAGE_NAME} ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/report${CPACK_PACKAGING_INSTALL_PREFIX})
