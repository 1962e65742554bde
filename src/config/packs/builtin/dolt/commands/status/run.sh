#!/bin/sh
# gc keeps beads in its own store: there is no server, and nothing to manage.
echo "gc keeps beads itself; there is no Dolt server, and nothing to do."
