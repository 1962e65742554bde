Comments are added and listed, from arguments or a pipe.

  $ gc bead create Discussed
  Created to-1: Discussed
  $ gc bead comments to-1
  There are no comments on to-1.
  $ gc bead comment to-1 half done
  Added a comment to to-1.
  $ printf 'two\nlines\n' | gc bead comment to-1 - --json
  {"id":"*","issue_id":"to-1","author":"human","text":"two\nlines","created_at":"*"} (glob)
  $ gc bead comments to-1 --json=text
  [{"text":"half done"},{"text":"two\nlines"}]
  $ gc bead comments to-1 --json | grep -o '"total":.*'
  "total":2}
  $ gc bead comments to-1
  human, * ago (glob)
    half done
  
  human, * ago (glob)
    two
    lines
  $ gc bead show to-1
  bead     to-1
  title    Discussed
  status   open
  type     task
  created  * (glob)
  updated  * (glob)
  
  human, * ago (glob)
    half done
  
  human, * ago (glob)
    two
    lines
  $ gc events --type bead.commented
  * bead.commented            to-1  “half done”  by operator (glob)
  * bead.commented            to-1  “two lines”  by operator (glob)

A comment needs a text.

  $ echo ' ' | gc bead comment to-1
  gc: standard input is empty; pipe in the text of the comment
  ...
  [2]

A list shows work; other records are shown with --type or --all.

  $ gc bead create Sweep --label listed
  Created to-2: Sweep
  $ gc bead create Swept --label listed
  Created to-3: Swept
  $ gc bead close to-3
  Closed to-3.
  $ gc convoy create Listed
  Created to-4: Listed
  $ gc bead update to-4 --label listed
  Updated to-4.
  $ gc bead list --label listed
  BEAD  STATUS  TYPE  AGE  TITLE
  to-2  open    task  * Sweep (glob)
  $ gc bead list --label listed --status closed
  BEAD  STATUS  TYPE  AGE  TITLE
  to-3  closed  task  * Swept (glob)
  $ gc bead list --label listed --type convoy
  BEAD  STATUS  TYPE    AGE  TITLE
  to-4  open    convoy  * Listed (glob)
  $ gc bead list --label listed --all
  BEAD  STATUS  TYPE    AGE  TITLE
  to-4  open    convoy  * Listed (glob)
  to-3  closed  task    * Swept (glob)
  to-2  open    task    * Sweep (glob)
  $ gc bead create 'Sweep more' --label listed
  Created to-5: Sweep more
  $ gc bead list --label listed --limit 1
  BEAD  STATUS  TYPE  AGE  TITLE
  to-5  open    task  * Sweep more (glob)
  1 of 2; --limit shows more.
  $ gc bead list --label listed --limit 1 --json | grep -o '"total":[0-9]*'
  "total":2
  $ gc bead list --label listed --limit 0
  BEAD  STATUS  TYPE  AGE  TITLE
  to-5  open    task  * Sweep more (glob)
  to-2  open    task  * Sweep (glob)
  $ gc bead list --help | grep -e --all
    --all                include closed beads and other records
    gc bead list --all --json=id,title

A bead is created with its dependencies, and shown with them and its dependents.

  $ gc bead create Wall
  Created to-6: Wall
  $ gc bead create Door
  Created to-7: Door
  $ gc bead create Roof --needs to-6,to-7 --defer-until 2030-01-31T09:00:00Z --json=is_blocked,defer_until
  {"is_blocked":true,"defer_until":"2030-01-31T09:00:00.000Z"}
  $ gc bead dep list to-8
  RELATION    BEAD  TYPE    STATUS  TITLE
  depends on  to-6  blocks  open    Wall
  depends on  to-7  blocks  open    Door
  $ gc bead dep list to-6
  RELATION   BEAD  TYPE    STATUS  TITLE
  needed by  to-8  blocks  open    Roof
  $ gc bead create Alone
  Created to-9: Alone
  $ gc bead dep list to-9
  to-9 depends on nothing, and nothing depends on it.
  $ gc bead show to-8
  bead        to-8
  title       Roof
  status      open, blocked
  type        task
  not before  2030-01-31T09:00:00.000Z
  created     * (glob)
  updated     * (glob)
  blocked by  to-6, to-7
  needs       to-6
  needs       to-7

A blocked bead is not ready until its dependency is closed.

  $ gc bead create Floor
  Created to-10: Floor
  $ gc bead create Carpet
  Created to-11: Carpet
  $ gc bead dep add to-11 to-10
  to-11 depends on to-10 (blocks).
  $ gc bead ready | grep Carpet
  [1]
  $ gc bead close to-10
  Closed to-10.
  $ gc bead ready | grep Carpet
  to-11  open    task  * Carpet (glob)
  $ gc bead dep remove to-11 to-10
  to-11 no longer depends on to-10.
  $ gc bead dep list to-11
  to-11 depends on nothing, and nothing depends on it.

An error about a single bead with dependencies names no list index.

  $ gc bead create x --needs to-99999
  gc: it needs to-99999: there is no such bead, and no entry of that name
  [1]
  $ gc bead create x --needs to-1 --defer-until tomorrow
  gc: validation failed (body.defer_until: must be a date-time such as 2030-01-31T09:00:00Z)
  [1]
  $ bd create y --deps to-99999
  Error: it needs to-99999: there is no such bead, and no entry of that name
  [1]
  $ gc bead list --all | grep -E ' [xy]$'
  [1]

A graph shows the descendants of a bead, each below its parent, and their dependencies.

  $ gc bead create Plan --type epic
  Created to-12: Plan
  $ gc bead create First --parent to-12
  Created to-13: First
  $ gc bead create Part --parent to-13
  Created to-14: Part
  $ gc bead create Second --parent to-12 --needs to-13
  Created to-15: Second
  $ gc bead graph to-12
  BEAD       STATUS         NEEDS  TITLE
  to-12      open                  Plan
    to-13    open                  First
      to-14  open                  Part
    to-15    open, blocked  to-13  Second
  $ gc bead graph to-99999
  gc: bead to-99999 does not exist; `gc bead list` lists valid names
  [1]

Many beads are created from a file or a pipe, and may name each other.

  $ cat > ../plan.jsonl <<'END'
  > {"name": "ship", "title": "Ship it", "needs": ["build"], "parent": "plan"}
  > 
  > {"name": "build", "title": "Build it", "parent": "plan", "priority": 0}
  > 
  > {"name": "plan", "title": "The plan", "type": "epic"}
  > END
  $ gc bead create --file ../plan.jsonl --priority 3
  Created to-18: Ship it
  Created to-17: Build it
  Created to-16: The plan
  $ gc bead graph to-16
  BEAD     STATUS         NEEDS  TITLE
  to-16    open                  The plan
    to-17  open                  Build it
    to-18  open, blocked  to-17  Ship it
  $ gc bead show to-16
  bead      to-16
  title     The plan
  status    open
  type      epic
  priority  P3
  created   * (glob)
  updated   * (glob)
  $ gc bead show to-17
  bead      to-17
  title     Build it
  status    open
  type      task
  priority  P0
  parent    to-16
  created   * (glob)
  updated   * (glob)
  $ tail -n 3 ../plan.jsonl | (cd "$SHOP" && gc bead create --file - --json) | grep -oE '"id":"sh-[^"]*"|"names".*'
  "id":"sh-2"
  "id":"sh-1"
  "names":{"plan":"sh-1","build":"sh-2"}}

No beads are created when one line is invalid.

  $ gc bead list --all --json | grep -o '"total":[0-9]*'
  "total":20
  $ (cat ../plan.jsonl; echo '{"title": "x", "parent": "nowhere"}') | gc bead create --file -
  gc: beads[3]: parent nowhere does not exist; name a bead that does, or none
  [1]
  $ (cat ../plan.jsonl; echo '[]') | gc bead create --file -
  gc: line 6 is not a JSON object
  [1]
  $ echo | gc bead create --file -
  gc: the file is empty; write one bead a line, such as {"title": "Paint the door"}
  ...
  [2]
  $ gc bead create
  gc: give a title or a --file
  ...
  [2]
  $ gc bead create x --file - < ../plan.jsonl
  gc: give a title or a --file, not both
  ...
  [2]
  $ gc bead list --all --json | grep -o '"total":[0-9]*'
  "total":20

Beads are changed together or not at all.

  $ gc bead create one
  Created to-19: one
  $ gc bead create two
  Created to-20: two
  $ gc bead update to-19 to-20 --priority 1 --label x
  Updated to-19.
  Updated to-20.
  $ gc bead show to-20
  bead      to-20
  title     two
  status    open
  type      task
  priority  P1
  labels    x
  created   * (glob)
  updated   * (glob)
  $ gc bead update to-19 to-99999 --priority 2
  gc: updates[1]: bead to-99999 does not exist; `gc bead list` lists valid names
  [1]
  $ gc bead show to-19 --json=priority
  {"priority":1}
  $ gc bead update to-19
  gc: give at least one change, such as --priority 1 or --status closed
  ...
  [2]
  $ gc events --format '{{.type}} {{.subject}}' | grep -E 'to-19|to-20'
  bead.created to-19
  bead.created to-20
  bead.updated to-19
  bead.updated to-20

Beads are closed and reopened one by one, skipping those that fail.

  $ gc bead close to-19 to-99999 to-20 --reason 'all done'
  Closed to-19.
  Closed to-20.
  gc: bead to-99999 does not exist
  [1]
  $ gc bead show to-20
  bead          to-20
  title         two
  status        closed
  type          task
  priority      P1
  labels        x
  created       * (glob)
  updated       * (glob)
  close_reason  all done
  $ gc bead reopen to-19 to-20
  Reopened to-19.
  Reopened to-20.

Beads are found by their text and their comments.

  $ gc bead create 'Numbat one' --type bug
  Created to-21: Numbat one
  $ gc bead create Two
  Created to-22: Two
  $ gc bead comment to-22 'another numbat'
  Added a comment to to-22.
  $ gc bead search numbat
  BEAD   STATUS  TYPE  AGE  TITLE
  to-22  open    task  * Two (glob)
  to-21  open    bug   * Numbat one (glob)
  $ gc bead search NUMBAT one
  BEAD   STATUS  TYPE  AGE  TITLE
  to-21  open    bug   * Numbat one (glob)
  $ gc bead search numbat --type bug --status open --rig town
  BEAD   STATUS  TYPE  AGE  TITLE
  to-21  open    bug   * Numbat one (glob)
  $ gc bead search numbat --limit 1
  BEAD   STATUS  TYPE  AGE  TITLE
  to-22  open    task  * Two (glob)
  Showing the newest 1; --limit shows more.
  $ gc bead search nosuchword
  No beads match these words.

History shows the changes, newest first.

  $ gc bead create 'Old name' --label a
  Created to-23: Old name
  $ gc bead update to-23 --title 'New name' --label b --metadata k=v
  Updated to-23.
  $ gc bead comment to-23 'well done'
  Added a comment to to-23.
  $ gc bead close to-23
  Closed to-23.
  $ gc bead history to-23
  * bead.closed       status open → closed, by operator (glob)
  * bead.commented    human: well done, by operator (glob)
  * bead.updated      title Old name → New name, labels a → a b, k none → v, by operator (glob)
  * bead.created      “Old name”, status open, by operator (glob)
  $ gc bead history to-23 --limit 2
  * bead.closed       “New name”, status closed, by operator (glob)
  * bead.commented    human: well done, by operator (glob)
  Showing the newest 2; --limit shows more.
  $ gc bead history to-99999
  gc: bead to-99999 does not exist; `gc bead list` lists valid names
  [1]

A bead is created in the rig of the current folder, and changed, closed, reopened and unparked.

  $ (cd "$SHOP" && gc bead create 'Paint the door' --priority P1 --label a,b)
  Created sh-3: Paint the door
  $ gc bead show sh-3
  bead      sh-3
  title     Paint the door
  status    open
  type      task
  priority  P1
  labels    a, b
  created   * (glob)
  updated   * (glob)
  $ gc bead update sh-3 --title 'Paint it red'
  Updated sh-3.
  $ gc bead close sh-3
  Closed sh-3.
  $ gc bead reopen sh-3
  Reopened sh-3.
  $ gc bead update sh-3 --label gc:parked
  Updated sh-3.
  $ gc attention
  SESSION  BEAD  SINCE  KIND      ASKS                                                               WHAT TO DO
  –        –     * unrouted  15 beads are ready and routed to no agent, such as to-17.          gc sling <agent> to-17 (glob)
  –        sh-3  * parked    Bead sh-3 (Paint it red) is no longer offered: a person parked it  gc bead show sh-3, then gc bead unpark sh-3 (glob)
  $ gc bead unpark sh-3
  Unparked sh-3.
  $ gc bead show sh-3
  bead      sh-3
  title     Paint it red
  status    open
  type      task
  priority  P1
  labels    a, b
  created   * (glob)
  updated   * (glob)

A bead that does not exist is reported with the sentence of the server.

  $ gc bead show to-99999
  gc: bead to-99999 does not exist; `gc bead list` lists valid names
  [1]
  $ gc bead show to-99999 2>/dev/null
  [1]

An export changes nothing when it is imported again, and restores what was changed.

  $ gc bead create kept --label a
  Created to-24: kept
  $ gc bead export -o ../beads.jsonl
  $ gc bead export -o ../beads.jsonl
  gc: */beads.jsonl exists; choose another file name (glob)
  [1]
  $ gc bead export | grep -o '"id":"to-24"'
  "id":"to-24"
  $ gc bead import ../beads.jsonl
  0 created, 0 updated, 27 unchanged, 0 skipped.
  $ gc bead update to-24 --title lost
  Updated to-24.
  $ gc bead import ../beads.jsonl
  0 created, 0 updated, 26 unchanged, 1 skipped.
    1 not newer than the bead here: to-24
  $ gc bead import --force ../beads.jsonl
  0 created, 1 updated, 26 unchanged, 0 skipped.
  $ gc bead show to-24 --json=title
  {"title":"kept"}

A bead with more comments than fit in one request is imported and exported whole.

  $ awk 'function many(word, n,  text) { while (length(text) < n) text = text word; return text }
  > BEGIN {
  >   printf "{\"id\":\"far-1\",\"title\":\"far\",\"description\":\"%s\",\"created_at\":\"2025-01-01T00:00:00Z\",\"comments\":[", many("d", 200000)
  >   for (n = 0; n < 15; n++) printf "%s{\"id\":\"%d\",\"author\":\"ada\",\"text\":\"%d%s\"}", n ? "," : "", n, n, many("é", 63000)
  >   print "]}"
  > }' > ../long.jsonl
  $ test $(wc -c < ../long.jsonl) -gt 1048576
  $ gc bead import ../long.jsonl
  1 created, 0 updated, 0 unchanged, 0 skipped.
  $ comments() { grep -o '"text":"[^"]*"\|"author":"ada"\|"id":"[0-9]*"' | sort | cksum; }
  $ test "$(comments < ../long.jsonl)" = "$(gc bead comments far-1 --json | comments)"
  $ gc bead comments far-1 --json | grep -o '"text":"[0-9]*' | tr '\n' ' '
  "text":"0 "text":"1 "text":"2 "text":"3 "text":"4 "text":"5 "text":"6 "text":"7 "text":"8 "text":"9 "text":"10 "text":"11 "text":"12 "text":"13 "text":"14 
  $ gc bead export -o ../whole.jsonl
  $ gc bead import ../whole.jsonl
  0 created, 0 updated, 28 unchanged, 0 skipped.

`gc beads` prints the JSON that scripts read, and --format json is JSON everywhere.

  $ gc beads list --status open --json | grep -oE '"beads":\[\{"id":"[^"]*"'
  "beads":[{"id":"to-24"
  $ gc beads list --label listed --json=id,title
  [{"id":"to-5","title":"Sweep more"},{"id":"to-4","title":"Listed"},{"id":"to-2","title":"Sweep"}]
  $ gc beads list --label listed --format '{{.id}} {{.title}}'
  to-5 Sweep more
  to-4 Listed
  to-2 Sweep
  $ gc beads list --label listed --format text
  BEAD  STATUS  TYPE    AGE  TITLE
  to-5  open    task    * Sweep more (glob)
  to-4  open    convoy  * Listed (glob)
  to-2  open    task    * Sweep (glob)
  $ gc beads show to-24 --json=bead | grep -oE '"bead":[{]|"id":"[^"]*"'
  "bead":{
  "id":"to-24"
  $ gc beads show to-24 --format=json | grep -oE '"bead":\{|"id":"[^"]*"'
  "bead":{
  "id":"to-24"
  $ gc bead show to-24 --format json | grep -oE '"id":"[^"]*"'
  "id":"to-24"

The supervisor reported nothing but the changes of people.

  $ grep -v ', by operator$' ../serve.log
  [1]
