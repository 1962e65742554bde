#!/bin/sh
for name in GC_CITY GC_CITY_PATH GC_CITY_NAME GC_CITY_RUNTIME_DIR GC_PACK_DIR GC_PACK_NAME GC_PACK_STATE_DIR; do
  eval "echo \"$name=\$$name\""
done
echo "here=$(pwd)"
[ -x "$GC_BIN" ] && echo "bin=yes"
[ -d "$GC_PACK_STATE_DIR" ] && echo "state=yes"
for word in "$@"; do echo "word=$word"; done
cat
