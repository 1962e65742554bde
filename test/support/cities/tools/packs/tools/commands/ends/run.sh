#!/bin/sh
echo "to the errors" >&2
exit "${1:-3}"
