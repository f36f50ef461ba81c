#!/bin/sh
# Build the core with sanitizers and run its tests on it: addresses and undefined behaviour, or races.
#   sh scripts/sanitize.sh .venv/bin/python [thread]
set -eu
python=$PWD/$1
kind=${2:-ON}
build=build/sanitize-$kind
cmake=$("$python" -c 'import shutil, sysconfig; print(shutil.which("cmake", path=sysconfig.get_path("scripts")) or "cmake")')
"$cmake" -S . -B $build/cmake -DPREFRONTAL_SANITIZE="$kind" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DPython_EXECUTABLE="$python" >/dev/null
"$cmake" --build $build/cmake -j2 --target _core >/dev/null
rm -rf $build/package
mkdir -p $build/package
cp -r python/prefrontal $build/package/
rm -f $build/package/prefrontal/_core*.so
cp $build/cmake/_core*.so $build/package/prefrontal/
if [ "$kind" = thread ]; then # tests in which several threads use the core at once
  library=libtsan.so
  set -- tests/pulse/test_limbic_many.py tests/pulse/test_lstm_many.py tests/pulse/test_routes.py \
    tests/routing/ranking/test_index.py tests/cortex/triggers/test_trigger_engine_cycles.py \
    tests/control/memory/test_cue_reader_snapshot.py tests/control/world/test_grid_world_vector.py
else
  library=libasan.so
  set -- tests/pulse tests/simd \
    tests/routing/ranking/test_tokens.py tests/routing/ranking/test_levenshtein.py tests/routing/ranking/test_index*.py \
    tests/routing/ranking/test_lexicon.py tests/routing/ranking/test_margins.py tests/routing/ranking/test_word_vectors.py tests/cortex/triggers/test_trigger_engine*.py \
    tests/control/memory/test_cue_reader*.py tests/control/rule/test_rule_state*.py tests/control/test_state_same_bits.py
fi
# Leaks are not looked for: the interpreter itself keeps memory to its end. What is freed is kept for
# a megabyte only, since some tests look at the memory that is used.
export ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=1
export TSAN_OPTIONS="suppressions=$PWD/scripts/thread_suppressions.txt"
exec env LD_PRELOAD="$(g++ -print-file-name=$library) $(g++ -print-file-name=libstdc++.so)" PYTHONPATH=$build/package \
  "$python" -m pytest -q -s -p no:cacheprovider -m "not exhaustive" "$@"
