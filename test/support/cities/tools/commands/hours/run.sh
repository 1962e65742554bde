#!/bin/sh
echo "nine to five"
