#!/bin/sh
# Installs the agent programs of package-lock.json into this folder, unless they are there; the tests here run them.
# The programs' own packages pick one of these builds on installing; these run on every x64 Linux with Node.
set -eu
cd "$(dirname "$0")"
if ! cmp -s package-lock.json node_modules/.installed; then
  npm ci --omit=optional --ignore-scripts --no-audit --no-fund --loglevel=error
  cp package-lock.json node_modules/.installed
fi
node_modules/opencode-linux-x64-baseline/bin/opencode --version
node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex --version
node_modules/@anthropic-ai/claude-code-linux-x64/claude --version
node node_modules/@google/gemini-cli/bundle/gemini.js --version
