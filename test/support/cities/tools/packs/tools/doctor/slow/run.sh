#!/bin/sh
echo "it is a bit slow"
exit 1
