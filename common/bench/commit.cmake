# Writes the source file OUTPUT with the commit of the folder SOURCE; runs at each build.
# For a copy without git, the environment variable COURSE_COMMIT can name the commit.
cmake_minimum_required(VERSION 3.21)

set(commit "$ENV{COURSE_COMMIT}")
if(NOT commit)
  set(ENV{GIT_CEILING_DIRECTORIES} "${SOURCE}/..")  # not the commit of an enclosing folder
  # --match=.. ignores all tags, since none can have this name. Git 1.8, of old clusters, has no --exclude.
  execute_process(COMMAND git describe --always --dirty --match=.. WORKING_DIRECTORY ${SOURCE}
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed EQUAL 0)
    set(commit unknown)
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
  "extern \"C\" const char* course_commit() { return \"@commit@\"; }\n")
