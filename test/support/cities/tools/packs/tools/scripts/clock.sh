#!/bin/sh
echo "clock $*"
