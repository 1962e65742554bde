#!/bin/sh
exec bd list --label note
