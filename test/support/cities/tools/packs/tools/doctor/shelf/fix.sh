#!/bin/sh
mkdir -p "$GC_PACK_STATE_DIR/shelf"
