#!/bin/sh
# Say in a sentence what this machine lacks to build prefrontal: check_machine.sh PYTHON COMPILER
python=$1
compiler=$2

refuse() {
  printf '\nprefrontal cannot be built here: %s\n\n' "$*" >&2
  exit 1
}

command -v "$python" >/dev/null 2>&1 ||
  refuse "there is no '$python'. Install Python 3.11 or newer, or name one: make PYTHON=/path/to/python3"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
  refuse "Python 3.11 or newer is needed, '$python' is $("$python" -c 'import platform; print(platform.python_version())'). Name a newer one: make PYTHON=/path/to/python3.12"
"$python" -c 'import venv, ensurepip' 2>/dev/null ||
  refuse "'$python' cannot make virtual environments. On Debian and Ubuntu: apt-get install python3-venv"
"$python" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' ||
  refuse "'$python' lacks its C headers (Python.h). On Debian and Ubuntu: apt-get install python3-dev"
command -v "$compiler" >/dev/null 2>&1 ||
  refuse "there is no C++ compiler '$compiler'. On Debian and Ubuntu: apt-get install g++, or name one: make CXX=/path/to/g++"
echo 'static_assert(__cplusplus >= 202002L);' | "$compiler" -std=c++20 -x c++ -fsyntax-only - 2>/dev/null ||
  refuse "'$compiler' does not compile C++20 (GCC 11 or newer does)"
