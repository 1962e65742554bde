#!/bin/sh
# Installs the agent programs of package-lock.json into this folder; the tests here run them.
# OpenCode's own package picks one of these builds on installing; this one runs on every x64 Linux.
set -eu
cd "$(dirname "$0")"
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
node_modules/opencode-linux-x64-baseline/bin/opencode --version
