#!/bin/sh
# First line: the message. Status 0 is good, 1 a warning, anything else an error.
missing=''
for program in git jq; do
  command -v "$program" >/dev/null 2>&1 || missing="$missing $program"
done
if [ -z "$missing" ]; then
  echo 'git and jq are installed'
  exit 0
fi
echo "not on the PATH:$missing"
echo 'Install them with the package manager of this machine, and restart the supervisor so that it finds them.'
case "$missing" in *git*) exit 2 ;; esac
exit 1
