# SPDX-License-Identifier: MIT
# Run by cpack between the installation into a folder of its own and the package: what Debian wants in a package, and nobody in
# /usr/local. Manuals and long documents are compressed, completions of zsh put elsewhere, changelog added, and copyright, which is
# LICENSE in Debian's form.
set(prefix ${CPACK_TEMPORARY_INSTALL_DIRECTORY}${CPACK_PACKAGING_INSTALL_PREFIX})

# Without time and name, so that the same sources make the same package.
function(compress)
	execute_process(COMMAND gzip -9nf ${ARGV} RESULT_VARIABLE status)
	if(NOT status STREQUAL 0)
		message(FATAL_ERROR "can't compress ${ARGV}: ${status}")
	endif()
endfunction()

file(GLOB manuals ${prefix}/share/man/man*/*.[1-9])
if(NOT manuals)
	message(FATAL_ERROR "no manuals in ${prefix}/share/man")
endif()
compress(${manuals})

# Debian's zsh looks for what packages bring in a folder of its own.
if(EXISTS ${prefix}/share/zsh/site-functions)
	file(RENAME ${prefix}/share/zsh/site-functions ${prefix}/share/zsh/vendor-completions)
endif()

set(documents ${prefix}/share/doc/${CPACK_PACKAGE_NAME})
file(READ ${CPACK_SHOWSTOPPER_LICENSE} license)
string(REGEX MATCH "Copyright \\(c\\) ([^\n]*)\n\n(.*)" matched "${license}")
set(holder "${CMAKE_MATCH_1}")
string(STRIP "${CMAKE_MATCH_2}" terms)
string(REPLACE "\n\n" "\n.\n" terms "${terms}")
string(REPLACE "\n" "\n " terms "${terms}")
file(WRITE ${documents}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Showstopper

Files: *
Copyright: ${holder}
License: Expat
 ${terms}
")
file(REMOVE ${documents}/LICENSE)
file(READ ${documents}/README.md readme)
string(REPLACE "[LICENSE](LICENSE)" "[copyright](copyright)" readme "${readme}")
file(WRITE ${documents}/README.md "${readme}")
# As debhelper has it: 4 KiB can stay, and so do examples.
file(GLOB_RECURSE long ${documents}/*.md)
foreach(document IN LISTS long)
	file(SIZE ${document} size)
	if(size GREATER 4096)
		compress(${document})
	endif()
endforeach()

set(change "Version ${CPACK_PACKAGE_VERSION}.")
file(STRINGS ${CPACK_SHOWSTOPPER_REVISION_HEADER} revision REGEX "SHOWSTOPPER_REVISION")
if(revision)
	string(REGEX REPLACE ".*\"(.*)\".*" "Version ${CPACK_PACKAGE_VERSION}, built from revision \\1." change "${revision}")
endif()
# $SOURCE_DATE_EPOCH, where it is set, else now.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${documents}/changelog "${CPACK_PACKAGE_NAME} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

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
