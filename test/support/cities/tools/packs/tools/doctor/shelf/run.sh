#!/bin/sh
if [ -d "$GC_PACK_STATE_DIR/shelf" ]; then
  echo "the shelf is there"
  exit 0
fi
echo "there is no shelf"
echo "looked in $GC_PACK_STATE_DIR"
exit 2
