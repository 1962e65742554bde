A running city is saved to a file that only its owner reads, while others add to it; the file names what is no part of a city.

  $ gc agent add clerk --command 'exec sleep 600'
  Agent clerk was added; give it work with `gc sling clerk "<what to do>"`.
  $ gc bead create long
  Created to-1: long
  $ gc bead create first --label a,b --priority P1
  Created to-2: first
  $ gc bead create second
  Created to-3: second
  $ gc bead dep add to-3 to-2
  to-3 depends on to-2 (blocks).
  $ printf '{"metadata":{"gc.output_json":"{\\"text\\":\\"' > ../long.json
  $ yes 'é\\n' | head -n 260000 | tr -d '\n' >> ../long.json
  $ printf '\\"}"}}' >> ../long.json
  $ wc -c < ../long.json
  1300049
  $ gc api -X POST '~/bead/to-1/update' --input ../long.json
  {"status":"updated"}
  $ gc mail send clerk -m hello
  Sent to-4 to clerk.
  $ gc session new clerk --alias carl --no-attach
  Session to-5 (s-to-5) is active.
  $ deep="assets/$(printf 'x%.0s' $(seq 90))/$(printf 'ö%.0s' $(seq 90))"
  $ mkdir -p "$deep" notes orders
  $ echo '#!/bin/sh' > "$deep/run.sh"
  $ chmod 755 "$deep/run.sh"
  $ head -c 3000001 /dev/zero | tr '\0' '\7' > "$deep/large"
  $ ln -s run.sh "$deep/link"
  $ touch notes/todo.txt
  $ printf '[order]\ntrigger = "cron"\nschedule = "0 3 1 1 *"\nexec = "./tick.sh"\n' > orders/tick.toml
  $ for n in $(seq 20); do gc bead create $n >> ../created & done
  $ gc backup ../town.tar.gz
  City town was saved to */town.tar.gz (* KB). (glob)
  Not in it, since they are not part of a city: ".keep", "notes", "assets/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx/öööööööööööööööööööööööööööööööööööööööööööööööööööööööööööööööööööööööööööööööööööööööööö/link"
  $ wait
  $ grep -c Created ../created
  20
  $ ls -l ../town.tar.gz | cut -c-10
  -rw-------
  $ ls .gc | grep backup
  [1]
  $ gc backup ../town.tar.gz
  gc: */town.tar.gz exists; choose another file name (glob)
  [1]

A restored city has the same beads, mail and files, and says what it starts; the first city runs on.

  $ gc restore ../town.tar.gz ../elsewhere/copy --name copy 2>../said
  City copy is up at */elsewhere/copy, as it was at *. (glob)
  It is suspended: nothing starts until you run `gc city resume copy`. Then it may start:
  NAME   PROGRAM         FOLDER
  clerk  exec sleep 600  */elsewhere/copy (glob)
  $ cat ../said
  Once restored, it starts these on its own:
    order tick (city), cron 0 3 1 1 *: ./tick.sh
  $ kept() { gc --city $1 bead list --all --limit 0 --json | sed 's/{"id"/\n&/g; s/],"total.*//' | grep -vE '"title":"[0-9]+"|:"session"'; }
  $ kept town > ../kept
  $ cut -c-42 ../kept
  {"items":[
  {"id":"to-4","title":"hello","status":"ope
  {"id":"to-3","title":"second","status":"op
  {"id":"to-2","title":"first","status":"ope
  {"id":"to-1","title":"long","status":"open
  $ kept copy | cmp - ../kept
  $ gc --city town bead show to-1 --json=metadata > ../metadata
  $ wc -c < ../metadata
  1300050
  $ gc --city copy bead show to-1 --json=metadata | cmp - ../metadata
  $ gc --city copy mail count clerk
  1 for clerk, 1 unread
  $ cmp ../elsewhere/copy/city.toml city.toml
  $ ls "../elsewhere/copy/$deep"
  large
  run.sh
  $ ls -l "../elsewhere/copy/$deep/run.sh" | cut -c-10
  -rwxr-xr-x
  $ cmp "../elsewhere/copy/$deep/large" "$deep/large"
  $ test -e ../elsewhere/copy/.gc/backup.json
  [1]
  $ gc --city copy bead create new
  Created co-1: new
  $ gc session show carl --json=running
  {"running":true}
  $ gc --city copy session show carl --json=running
  {"running":false}

A city whose name is taken is unpacked and not registered; without a supervisor nothing is unpacked.

  $ gc restore ../town.tar.gz ../taken --name town
  gc: a city named town is registered at */town (glob)
  the city is unpacked, suspended: `gc register */taken --name <name>` starts it (glob)
  [1]
  $ ls ../taken/city.toml
  ../taken/city.toml
  $ GC_URL=http://127.0.0.1:9 gc restore ../town.tar.gz ../away
  gc: no supervisor answers at http://127.0.0.1:* (connection refused); check GC_URL, or start one there with `gc serve` (glob)
  [1]
  $ test -e ../away
  [1]

What cannot be restored leaves nothing behind.

  $ echo 'not a backup' > ../junk.tar.gz
  $ gc restore ../junk.tar.gz ../new
  gc: */junk.tar.gz cannot be unpacked: it is damaged, or no backup of gc (glob)
  [1]
  $ gc restore ../none ../new
  gc: there is no file */none (glob)
  [1]
  $ test -e ../new
  [1]
  $ gc restore ../junk.tar.gz .
  gc: */town is not empty; restore into a new folder (glob)
  [1]

The supervisor reported nothing but the changes of people.

  $ grep -v ', by operator$' ../serve.log
  [1]
