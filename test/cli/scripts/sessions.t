A session is started by hand, with an alias and a title, and receives a message.

  $ gc session list
  No sessions are running; sling work to an agent to start one.
  $ cat > ../echo.sh <<'END'
  > echo ready
  > while read -r line; do echo "heard $line"; done
  > END
  $ gc agent add clerk --command "sh $PWD/../echo.sh"
  Agent clerk was added; give it work with `gc sling clerk "<what to do>"`.
  $ gc session new clerk --alias bob --title 'At the desk' --json
  {"schema_version":"1","ok":true,"id":"to-1","kind":"agent","template":"clerk","state":"active","title":"At the desk","alias":"bob","provider":"command","submission_capabilities":{"supports_follow_up":true,"supports_interrupt_now":true},"session_name":"s-to-1","work_dir":"*/town","created_at":"*","last_active":"*","attached":false,"running":true,"agent_kind":"role","session_id":"to-1"} (glob)
  $ gc session send bob good morning
  Delivered to bob.
  $ await 'heard good morning' gc session peek bob

It is renamed, suspended, woken and closed.

  $ gc session rename bob 'At lunch'
  Session bob is now called At lunch.
  $ gc session suspend bob
  Session bob is suspended.
  $ gc session show bob --json=state,running,title
  {"state":"suspended","running":false,"title":"At lunch"}
  $ gc session attach bob --read-only
  gc: session to-1 does not run, so it has no terminal; wake it first
  [1]
  $ gc session wake bob
  Session bob is waking.
  $ gc session close bob
  Session bob is closed.
  $ gc session list
  No sessions are running; sling work to an agent to start one.
  $ gc session list --state closed --json=id,title,running
  [{"id":"to-1","title":"At lunch","running":false}]
  $ gc events --format '{{.type}} {{.subject}}' | grep to-1 | sort -u
  bead.closed to-1
  bead.created to-1
  bead.updated to-1
  request.result.session.create to-1
  request.result.session.submit to-1

A session waits for beads.

  $ gc session new clerk --alias carl --json=id,alias
  {"id":"to-2","alias":"carl"}
  $ gc bead create first
  Created to-3: first
  $ gc wait create to-3 --session carl --note 'go on' --any --json
  {"id":"to-4","session_id":"to-2","kind":"deps","state":"pending","status":"open","session_name":"s-to-2","dep_ids":["to-3"],"dep_mode":"any","registered_epoch":"1","delivery_attempt":"1","note":"go on","created_at":"*","labels":["gc:wait","session:to-2"]} (glob)
  $ gc wait list
  WAIT  SESSION  STATE    FOR  BEADS  AGE  NOTE
  to-4  s-to-2   pending  any  to-3   * go on (glob)
  $ gc wait list --session to-2 --json
  {"waits":[{"id":"to-4","session_id":"to-2","kind":"deps","state":"pending","status":"open","session_name":"s-to-2","dep_ids":["to-3"],"dep_mode":"any","registered_epoch":"1","delivery_attempt":"1","note":"go on","created_at":"*","labels":["gc:wait","session:to-2"]}],"capped":false,"items":[{"id":"to-4","session_id":"to-2","kind":"deps","state":"pending","status":"open","session_name":"s-to-2","dep_ids":["to-3"],"dep_mode":"any","registered_epoch":"1","delivery_attempt":"1","note":"go on","created_at":"*","labels":["gc:wait","session:to-2"]}],"total":1} (glob)
  $ gc wait inspect to-4
  wait     to-4
  session  to-2
  name     s-to-2
  state    pending
  for      any
  beads    to-3
  began    * (glob)
  
  go on
  $ gc wait inspect to-4 --watch > ../watched & watching=$!
  $ await pending cat ../watched
  $ gc wait cancel to-4
  Wait to-4 is canceled.
  $ wait $watching
  $ grep -a state ../watched
  state    pending
  state    canceled
  $ gc wait cancel to-4
  Wait to-4 is canceled.
  $ gc wait list
  No sessions are waiting for beads.
  $ gc wait inspect to-99
  gc: to-99 is not a wait; `gc wait list` lists the open ones
  [1]
  $ gc wait create to-3 --session carl --json=id
  {"id":"to-5"}
  $ gc wait ready to-5
  Wait to-5 is * (glob)
  $ gc wait create to-3 --session carl --json=id
  {"id":"to-6"}
  $ gc bead close to-6
  Closed to-6.
  $ gc wait inspect to-6 --watch | grep -aA1 state
  state    canceled
  why      its bead was closed
  $ gc events --format '{{.type}} {{.subject}}' | grep to-4
  bead.created to-4
  bead.closed to-4

What is not a wait is reported, also when it is a bead.

  $ gc wait inspect to-3
  gc: to-3 is not a wait; `gc wait list` lists the open ones* (glob)
  [1]
  $ gc wait cancel to-99999
  gc: to-99999 is not a wait; `gc wait list` lists the open ones
  [1]
  $ gc wait ready to-3
  gc: to-3 is not a wait; `gc wait list` lists the open ones* (glob)
  [1]

The run of a session is drained, undrained, kept alive and restarted.

  $ gc agent add keeper --command 'printf %s "$GC_TOKEN" > "$GC_HOME/token.$GC_SESSION_ID"; exec sleep 600'
  Agent keeper was added; give it work with `gc sling keeper "<what to do>"`.
  $ gc session new keeper --alias ann --json=id
  {"id":"to-7"}
  $ gc bead create 'In hand' --assignee ann
  Created to-8: In hand
  $ gc runtime drain ann
  Session ann finishes its work and will end.
  $ gc runtime drain-check ann
  $ gc runtime undrain ann
  Session ann continues.
  $ gc runtime drain-check ann
  [1]
  $ await gcs_ cat "$GC_HOME/token.to-7"
  $ GC_SESSION_ID=to-7 GC_TOKEN=$(cat "$GC_HOME/token.to-7") gc runtime heartbeat --duration 5m
  Recorded; this session has no claims.
  $ gc session restart ann
  Session ann restarts.
  $ gc session drift
  No session differs from its agent’s configuration.
  $ gc session transcript ann
  It has no entries yet.
  $ gc session close ann
  Session ann is closed.

A suspended session is lent to the holder of a token.

  $ gc session new keeper --alias lou --json=id
  {"id":"to-9"}
  $ gc session lend lou
  gc: session to-9 is active; only a suspended one can be lent
  [1]
  $ gc session suspend lou
  Session lou is suspended.
  $ gc bead create 'From afar' --assignee lou
  Created to-10: From afar
  $ token=$(gc session lend lou 2> ../said)
  $ cat ../said
  Set it as GC_TOKEN of the program, with GC_SESSION_ID=to-9; waking the session revokes it.
  $ export GC_SESSION_ID=to-9 GC_CITY_NAME=town
  $ GC_TOKEN=$token gc hook --claim --json
  {"schema_version":"1","ok":true,"command":"hook","action":"work","reason":"ready_assignment","bead_id":"to-10","assignee":"lou"}
  $ GC_TOKEN=$token bd close to-10
  ✓ Closed to-10 — From afar
  $ unset GC_SESSION_ID GC_CITY_NAME
  $ gc session close lou
  Session lou is closed.
  $ GC_SESSION_ID=to-9 GC_CITY_NAME=town GC_TOKEN=$token gc hook --claim --json
  {"schema_version":"1","ok":true,"command":"hook","action":"drain","reason":"stale_session","drain_acknowledged":false}
  [1]

A program tells gc of its conversation by the hook of prime, once.

  $ gc session new keeper --alias eve --json=id
  {"id":"to-11"}
  $ await gcs_ cat "$GC_HOME/token.to-11"
  $ token=$(cat "$GC_HOME/token.to-11")
  $ export GC_SESSION_ID=to-11 GC_CITY_NAME=town
  $ echo '{"session_id":"talk-7","source":"startup"}' | GC_TOKEN=$token gc prime --hook > ../said 2> ../error
  $ cat ../error
  $ echo '{"session_id":"talk-7","source":"startup"}' | GC_STARTUP_PROMPT_DELIVERED=1 GC_TOKEN=$token gc prime --hook
  $ unset GC_SESSION_ID GC_CITY_NAME
  $ gc bead show to-11 --json=metadata | grep -o '"session_key":"[^"]*"'
  "session_key":"talk-7"
  $ gc session close eve
  Session eve is closed.

A hook that is run ends after a while, with its own status or the one that is asked for.

  $ gc session new keeper --alias uma --json=id
  {"id":"to-12"}
  $ await gcs_ cat "$GC_HOME/token.to-12"
  $ export GC_SESSION_ID=to-12 GC_CITY_NAME=town GC_TOKEN=$(cat "$GC_HOME/token.to-12")
  $ gc hook run -- version
  gc * (glob)
  $ gc hook run -- hook --claim
  [1]
  $ gc hook run --timeout 0s -- events --follow
  [124]
  $ gc hook run --timeout 0s --timeout-exit-code 0 -- events --follow
  $ unset GC_SESSION_ID GC_CITY_NAME GC_TOKEN
  $ gc session close uma
  Session uma is closed.

Outside of a session a hook does nothing.

  $ gc mail send human -s Seen -m x
  Sent to-13 to human.
  $ gc hook run -- status
  $ gc prime --hook --hook-format claude
  $ gc mail check --inject
  $ gc nudge drain --inject
  $ gc handoff --auto 'context cycle'
  $ gc hook --inject

A handoff sends a message to the next run of its session, which begins a new conversation.

  $ gc session new keeper --alias kim --json=id
  {"id":"to-14"}
  $ await gcs_ cat "$GC_HOME/token.to-14"
  $ GC_SESSION_ID=to-14 GC_CITY_NAME=town GC_TOKEN=$(cat "$GC_HOME/token.to-14") gc handoff 'Half way' 'The roof is next.'
  The message was sent; this session begins a new conversation.
  $ await '"generation":"2"' gc bead show to-14 --json
  $ await '"state":"active"' gc session show to-14 --json
  $ gc bead show to-14 --json=metadata | grep -oE '"(generation|state)":"[^"]*"'
  "state":"active"
  "generation":"2"
  $ gc mail inbox kim --json=subject
  [{"subject":"Half way"}]
  $ gc session close kim
  Session kim is closed.

A session is nudged and suspended, and pruned after a long suspension.

  $ gc session new keeper --alias zoe --json=id
  {"id":"to-16"}
  $ gc nudge zoe good evening
  Sent to zoe.
  $ gc session suspend zoe
  Session zoe is suspended.
  $ gc session peek zoe
  gc: session zoe is not running (user-hold); `gc session transcript zoe` shows its conversation
  [1]
  $ gc session show nobody
  gc: session not found: "nobody"; `gc session list` lists valid names
  [1]
  $ gc session prune --before 1h
  0 were closed.
  $ gc session prune --before 0m
  to-16  s-to-16  suspended
  1 were closed.
  $ gc session prune --before long
  gc: --before takes a duration such as 7d or 12h, not "long"
  ...
  [2]

The instances of a pool that do nothing are one line of `gc agent list` and `gc status`.

  $ gc agent add shop/crew --command 'sleep 600' --max 5
  Agent shop/crew was added; give it work with `gc sling shop/crew "<what to do>"`.
  $ gc agent suspend shop/crew
  Agent shop/crew is suspended.
  $ gc agent add shop/clerks --command 'sleep 600' --max 3
  Agent shop/clerks was added; give it work with `gc sling shop/clerks "<what to do>"`.
  $ gc agent list
  AGENT                      STATE      SESSION
  clerk                      idle       s-to-2
  shop/clerks (3 instances)  stopped
  shop/crew (5 instances)    suspended
  keeper                     stopped
  $ gc status
  city    town, up for * (glob)
  folder  */town (glob)
  agents  10 (1 running, 5 suspended)
  rigs    1
  work    2 ready, 0 in progress, 2 open
  mail    2 (2 unread)
  
  AGENT                      STATE      POOL                   SESSION
  clerk                      running                           s-to-2
  shop/clerks (3 instances)  stopped    scaled (min=0, max=3)
  shop/crew (5 instances)    suspended  scaled (min=0, max=5)
  keeper                     stopped
  $ gc agent list --json=name | grep -o shop/ | wc -l
  8

A list says of how many it shows some, and counts those of a rig in all of them.

  $ gc agent add porter --command 'sleep 600' --max 9
  Agent porter was added; give it work with `gc sling porter "<what to do>"`.
  $ gc agent add shop/guard --command 'sleep 600' --max 9
  Agent shop/guard was added; give it work with `gc sling shop/guard "<what to do>"`.
  $ for agent in shop/guard porter porter; do gc session new $agent --json=template; done
  {"template":"shop/guard"}
  {"template":"porter"}
  {"template":"porter"}
  $ gc session list --limit 2
  SESSION  NAME                     AGENT   STATE   ACTIVE  TITLE
  to-19    porter-adhoc-*  porter  active  * porter (glob)
  to-18    porter-adhoc-*  porter  active  * porter (glob)
  2 of 4; --limit shows more.
  $ gc session list --rig shop --limit 1
  SESSION  NAME                    AGENT       STATE   ACTIVE  TITLE
  to-17    guard-adhoc-*  shop/guard  active  * shop/guard (glob)

An agent that there is not has no sessions to list; one that has none has an empty list.

  $ gc session list --template nobody
  gc: town has no agent nobody; `gc agent list` lists its agents
  [1]
  $ gc agent add idler --command cat
  Agent idler was added; give it work with `gc sling idler "<what to do>"`.
  $ gc session list --template idler
  No sessions are running; sling work to an agent to start one.
  $ gc session list --template idlr
  gc: town has no agent idlr; `gc agent list` lists its agents; did you mean idler?
  [1]

A session that cannot start yet says what it waits for, and is taken back by an interruption.

  $ gc agent add sleeper --command 'sleep 600' --suspended
  Agent sleeper was added, suspended; `gc agent resume sleeper` lets it work.
  $ gc session new sleeper > ../said 2>&1 & asking=$!
  $ await waits cat ../said
  $ kill -INT $asking
  $ wait $asking
  [130]
  $ cat ../said
  gc: session to-20 waits: agent sleeper is suspended; gc agent resume sleeper (ctrl-c takes the request back)
  gc: the request was canceled; no session starts
  $ gc session list --template sleeper
  No sessions are running; sling work to an agent to start one.
  gc: sleeper cannot be started: agent is suspended; its work stays queued until you fix this

The help of attach shows the detach key as people type it.

  $ gc session attach --help | grep -o 'default: ctrl-]'
  default: ctrl-]

The supervisor reported nothing but the changes of people.

  $ grep -v ', by operator$' ../serve.log
  [1]
