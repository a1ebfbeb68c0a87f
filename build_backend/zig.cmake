# CMake's description of `zig c++` from the PyPI package ziglang, for machines without a C++ compiler.
set(ZIG ON)
if(DEFINED ENV{STABLEBN_ZIG})
  set(zig "$ENV{STABLEBN_ZIG}" CACHE FILEPATH "The program of the ziglang package")
endif()

# zig compiles for the machine it runs on unless told otherwise, and writes x86-64-v2 its own way.
cmake_host_system_information(RESULT machine QUERY OS_PLATFORM)
if(machine MATCHES "^(x86_64|AMD64|amd64)$")
  set(cpu -march=x86_64_v2)
else()
  set(cpu -mcpu=baseline)
endif()
# Say x86_64-linux-gnu.2.17 for a module that needs no newer C library than 2.17.
if(DEFINED ENV{STABLEBN_ZIG_TARGET} AND NOT "$ENV{STABLEBN_ZIG_TARGET}" STREQUAL "")
  list(APPEND cpu -target "$ENV{STABLEBN_ZIG_TARGET}")
endif()
# -O3 and -s (no symbols) in the command, as the module is linked so: CMake links a program to learn which compiler this
# is, and for one linked differently zig would compile its C++ library (a minute) once more.
set(CMAKE_CXX_COMPILER "${zig}" c++ ${cpu} -O3 -s)

# Static libraries: a machine without a compiler has no ar either. CMake calls these with arguments of their own.
set(CMAKE_AR "${zig}")
set(CMAKE_RANLIB "${zig}")
set(CMAKE_CXX_ARCHIVE_CREATE "<CMAKE_AR> ar qc <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_APPEND "<CMAKE_AR> ar q <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_FINISH "<CMAKE_RANLIB> ranlib <TARGET>")

# CMake's other trials need not link at all.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
