#!/bin/sh
# Scripts read the JSON; there is no server that could be unwell.
case " $* " in
*" --json "*) echo '{"schema_version":"1","ok":true,"server":{"running":false,"reachable":false},"databases":[],"message":"gc keeps beads itself"}' ;;
*) echo 'gc keeps beads itself; there is no Dolt server, and nothing to do.' ;;
esac
