#!/bin/sh
echo "the ink is low"
exit 1
