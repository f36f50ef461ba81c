#!/bin/sh
# Build the core with the address and undefined-behaviour sanitisers and run its tests on it.
#   sh scripts/sanitize.sh .venv/bin/python
set -eu
python=$PWD/$1
build=build/sanitize
cmake=$("$python" -c 'import shutil, sysconfig; print(shutil.which("cmake", path=sysconfig.get_path("scripts")) or "cmake")')
"$cmake" -S . -B $build/cmake -DPREFRONTAL_SANITIZE=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DPython_EXECUTABLE="$python" >/dev/null
"$cmake" --build $build/cmake -j2 >/dev/null
rm -rf $build/package
mkdir -p $build/package
cp -r python/prefrontal $build/package/
rm -f $build/package/prefrontal/_core*.so
cp $build/cmake/_core*.so $build/package/prefrontal/
# Leaks are not looked for: the interpreter itself keeps memory to its end. What is freed is kept for
# a megabyte only, since some tests look at the memory that is used.
LD_PRELOAD="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libstdc++.so)" \
  ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=1 PYTHONPATH=$build/package \
  "$python" -m pytest -q -s -p no:cacheprovider tests/pulse tests/simd \
  tests/routing/ranking/test_tokens.py tests/routing/ranking/test_levenshtein.py tests/routing/ranking/test_index*.py \
  tests/cortex/triggers/test_trigger_engine*.py \
  tests/control/memory/test_cue_reader*.py tests/control/rule/test_rule_state*.py tests/control/test_state_same_bits.py
