A convoy of the current folder's rig is created with beads, and its progress shown.

  $ gc bead create Door
  Created to-1: Door
  $ gc bead create Wall
  Created to-2: Wall
  $ gc convoy create House to-1 to-2
  Created to-3: House
  $ gc bead close to-1
  Closed to-1.
  $ gc convoy show to-3
  convoy   to-3
  title    House
  status   open
  done     1 of 2
  created  * (glob)
  
  BEAD  STATUS  TYPE  AGE  TITLE
  to-1  closed  task  * Door (glob)
  to-2  open    task  * Wall (glob)
  $ gc convoy show to-3 --json=progress
  {"progress":{"total":2,"closed":1}}
  $ (cd "$SHOP" && gc convoy create Roof)
  Created sh-1: Roof

The options of create are stored with the convoy; an owned one stays open for a person.

  $ gc bead create Gate
  Created to-4: Gate
  $ gc convoy create Release to-4 --owned --owner mayor --merge mr --target next --json=labels,metadata
  {"labels":["owned"],"metadata":{"convoy.owner":"mayor","convoy.merge":"mr","target":"next"}}
  $ gc bead close to-4
  Closed to-4.
  $ gc convoy check to-5
  1 of 1 beads of to-5 are closed.
  $ gc convoy show to-5
  convoy        to-5
  title         Release
  status        open
  done          1 of 1
  labels        owned
  created       * (glob)
  convoy.owner  mayor
  convoy.merge  mr
  target        next
  
  BEAD  STATUS  TYPE  AGE  TITLE
  to-4  closed  task  * Gate (glob)
  $ gc convoy check to-5 --close
  1 of 1 beads of to-5 are closed.
  $ gc convoy show to-5 | grep status
  status        closed
  $ gc convoy create x --merge squash
  gc: --merge takes direct, mr, local, not squash
  ...
  [2]

Beads are added and removed; one that does not exist is rejected.

  $ gc bead create one
  Created to-6: one
  $ gc bead create two
  Created to-7: two
  $ gc convoy create Pair
  Created to-8: Pair
  $ gc convoy show to-8
  convoy   to-8
  title    Pair
  status   open
  done     0 of 0
  created  * (glob)
  
  It has no beads yet; add some with `gc convoy add`.
  $ gc convoy add to-8 to-6 to-7
  to-6, to-7 are in to-8.
  $ gc convoy remove to-8 to-6
  to-6 is no longer in to-8.
  $ gc convoy add to-8 to-7 --json
  {"schema_version":"1","ok":true,"command":"convoy.add","action":"add","convoy_id":"to-8","issue_ids":["to-7"],"status":"updated"}
  $ gc convoy show to-8
  convoy   to-8
  title    Pair
  status   open
  done     0 of 1
  created  * (glob)
  
  BEAD  STATUS  TYPE  AGE  TITLE
  to-7  open    task  * two (glob)
  $ gc convoy remove to-8 to-6
  gc: bead to-6 is not in convoy to-8
  [1]
  $ gc events --format '{{.type}} {{.subject}}' | grep to-8
  bead.created to-8
  convoy.created to-8
  bead.updated to-8
  bead.updated to-8

A check ends with a status that says whether every bead is closed.

  $ gc bead create x
  Created to-9: x
  $ gc convoy create Check to-9
  Created to-10: Check
  $ gc convoy check to-10
  0 of 1 beads of to-10 are closed.
  [1]
  $ gc convoy check to-10 --json
  {"schema_version":"1","ok":true,"command":"convoy.check","action":"check","convoy_id":"to-10","total":1,"closed":0,"complete":false}
  [1]
  $ gc convoy check to-10 --close
  0 of 1 beads of to-10 are closed.
  [1]
  $ gc convoy show to-10 | grep status
  status   open

An owned convoy is landed once its beads are closed, and it is said why one is not.

  $ gc bead create Hinge
  Created to-11: Hinge
  $ gc convoy create Landed to-11 --owned
  Created to-12: Landed
  $ gc convoy land to-12
  gc: to-12 has open beads: to-11; --force closes it anyway
  [1]
  $ gc bead close to-11
  Closed to-11.
  $ gc convoy land to-12 --dry-run
  to-12 can be landed.
  $ gc convoy show to-12 | grep status
  status   open
  $ gc convoy land to-12
  Landed to-12.
  $ gc convoy show to-12 | grep status
  status   closed
  $ gc convoy land to-12
  gc: to-12 is already closed
  [1]
  $ gc convoy create Empty --owned
  Created to-13: Empty
  $ gc convoy land to-13
  gc: to-13 has no beads yet; --force closes it anyway
  [1]
  $ gc convoy land to-13 --force --json
  {"schema_version":"1","ok":true,"command":"convoy.land","action":"land","convoy_id":"to-13","title":"Empty","landed":true,"total_children":0,"open_children":0,"open":[],"forced":true}
  $ gc convoy create Plain
  Created to-14: Plain
  $ gc convoy land to-14
  gc: to-14 closes with its last bead; `gc convoy close to-14` closes it now
  [1]

A target sets the branch of its work; only a convoy has one.

  $ gc convoy create Aimed
  Created to-15: Aimed
  $ gc convoy target to-15 next
  The target branch of to-15 is next.
  $ gc convoy show to-15
  convoy   to-15
  title    Aimed
  status   open
  done     0 of 0
  created  * (glob)
  target   next
  
  It has no beads yet; add some with `gc convoy add`.
  $ gc bead create 'no convoy'
  Created to-16: no convoy
  $ gc convoy target to-16 next
  gc: convoy to-16 does not exist; did you mean to-15?
  [1]
  $ gc bead show to-16
  bead     to-16
  title    no convoy
  status   open
  type     task
  created  * (glob)
  updated  * (glob)

Stranded convoys have ready work and no one working.

  $ gc bead create waits
  Created to-17: waits
  $ gc bead create taken
  Created to-18: taken
  $ gc bead create going
  Created to-19: going
  $ gc bead create next
  Created to-20: next
  $ gc bead update to-18 to-19 --status in_progress
  Updated to-18.
  Updated to-19.
  $ gc convoy create Left to-17
  Created to-21: Left
  $ gc convoy create Going to-19 to-20
  Created to-22: Going
  $ gc convoy create Taken to-18
  Created to-23: Taken
  $ gc convoy stranded
  CONVOY  AGE  READY  TITLE
  to-21   * to-17  Left (glob)
  to-10   * to-9   Check (glob)
  to-8    * to-7   Pair (glob)
  to-3    * to-2   House (glob)
  $ gc convoy stranded --json=id,title,created_at,ready
  [{"id":"to-21","title":"Left","created_at":"*","ready":["to-17"]},{"id":"to-10","title":"Check","created_at":"*","ready":["to-9"]},{"id":"to-8","title":"Pair","created_at":"*","ready":["to-7"]},{"id":"to-3","title":"House","created_at":"*","ready":["to-2"]}] (glob)

A check without a convoy closes all that are done, except owned ones.

  $ gc bead create bell
  Created to-24: bell
  $ gc bead create rope
  Created to-25: rope
  $ gc bead close to-24 to-25
  Closed to-24.
  Closed to-25.
  $ gc convoy create Done to-24
  Created to-26: Done
  $ gc convoy create Owned to-25 --owned
  Created to-27: Owned
  $ gc convoy check --json
  {"schema_version":"1","ok":true,"command":"convoy.check","action":"check","closed":1,"closed_ids":["to-26"]}
  $ gc convoy check --close
  Closed to-27.
  $ gc convoy check
  No open convoy is done.

Closing and deleting takes a convoy out of the list; --all still shows it.

  $ gc convoy create First
  Created to-28: First
  $ gc convoy create Second
  Created to-29: Second
  $ gc convoy list
  CONVOY  STATUS  DONE  AGE  TITLE
  to-29   open    0/0   * Second (glob)
  to-28   open    0/0   * First (glob)
  to-23   open    0/1   * Taken (glob)
  to-22   open    0/2   * Going (glob)
  to-21   open    0/1   * Left (glob)
  to-15   open    0/0   * Aimed (glob)
  to-14   open    0/0   * Plain (glob)
  to-10   open    0/1   * Check (glob)
  to-8    open    0/1   * Pair (glob)
  sh-1    open    0/0   * Roof (glob)
  to-3    open    1/2   * House (glob)
  $ gc convoy close to-28
  Closed to-28.
  $ gc convoy delete to-29
  Closed to-29.
  $ gc convoy list
  CONVOY  STATUS  DONE  AGE  TITLE
  to-23   open    0/1   * Taken (glob)
  to-22   open    0/2   * Going (glob)
  to-21   open    0/1   * Left (glob)
  to-15   open    0/0   * Aimed (glob)
  to-14   open    0/0   * Plain (glob)
  to-10   open    0/1   * Check (glob)
  to-8    open    0/1   * Pair (glob)
  sh-1    open    0/0   * Roof (glob)
  to-3    open    1/2   * House (glob)
  $ gc convoy list --all --json=id | head -c 40
  [{"id":"to-29"},{"id":"to-28"},{"id":"to
  $ gc convoy list --all --limit 1
  CONVOY  STATUS  DONE  AGE  TITLE
  to-29   closed  0/0   * Second (glob)
  1 of 16; --limit shows more.
  $ gc convoy show to-999
  gc: convoy to-999 does not exist; `gc convoy list` lists valid names
  [1]
  $ gc convoy show to-999 --watch
  gc: convoy to-999 does not exist; `gc convoy list` lists valid names
  [1]

A convoy tracks the beads of --tracks, of the city, and keeps whom to notify.

  $ gc bead create oar
  Created to-30: oar
  $ gc bead create sail
  Created to-31: sail
  $ (cd "$SHOP" && gc convoy create Fleet to-30 --tracks to-31 --notify mayor --city-scope --json=action,convoy_id,issue_ids,notify)
  {"action":"create","convoy_id":"to-32","issue_ids":["to-30","to-31"],"notify":"mayor"}
  $ gc convoy status to-32 --json
  {"schema_version":"1","ok":true,"progress":{"total":2,"closed":0},"convoy":{"id":"to-32","title":"Fleet","status":"open","issue_type":"convoy","created_at":"*","updated_at":"*","metadata":{"convoy.notify":"mayor"},"dependencies":[{"issue_id":"to-32","depends_on_id":"to-30","type":"tracks"},{"issue_id":"to-32","depends_on_id":"to-31","type":"tracks"}],"owned":false,"fields":{"notify":"mayor"}},"children":[{"id":"to-30","title":"oar","status":"open","issue_type":"task","created_at":"*","updated_at":"*","type":"task"},{"id":"to-31","title":"sail","status":"open","issue_type":"task","created_at":"*","updated_at":"*","type":"task"}]} (glob)

What `gc sling` made for one bead is hidden from `gc convoy list` and `stranded`, which say so.

  $ gc agent add shop/crew --command 'sleep 600' --max 5
  Agent shop/crew was added; give it work with `gc sling shop/crew "<what to do>"`.
  $ gc agent suspend shop/crew
  Agent shop/crew is suspended.
  $ gc bead create 'Oil the gate'
  Created to-33: Oil the gate
  $ gc sling shop/crew to-33 --force
  to-33 goes to shop/crew.
  gc: shop/crew cannot be started: agent is suspended; its work stays queued until you fix this
  $ gc convoy list | tail -1
  1 that `gc sling` made for one bead each are hidden; --all shows them.
  $ gc convoy list --all | grep sling
  to-34   open    0/1   * sling-to-33 (glob)
  $ gc convoy stranded | grep sling
  [1]
  $ gc convoy stranded --all | grep sling
  to-34   * to-33        sling-to-33 (glob)

It is watched until it is closed with the last of its beads.

  $ gc bead create one
  Created to-35: one
  $ gc bead create two
  Created to-36: two
  $ gc convoy create Watched to-35 to-36
  Created to-37: Watched
  $ gc convoy show to-37 --watch > ../watched & watching=$!
  $ await '0 of 2' cat ../watched
  $ gc bead close to-35
  Closed to-35.
  $ await '1 of 2' cat ../watched
  $ gc bead close to-36
  Closed to-36.
  $ wait $watching
  $ tail -12 ../watched
  to-35  closed  task  * one (glob)
  to-36  open    task  * two (glob)
  convoy        to-37
  title         Watched
  status        closed
  done          2 of 2
  created       * (glob)
  close_reason  every bead of the convoy is closed
  
  BEAD   STATUS  TYPE  AGE  TITLE
  to-35  closed  task  * one (glob)
  to-36  closed  task  * two (glob)
