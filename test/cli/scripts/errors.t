A name that nothing has is reported with the near one that was meant.

  $ gc agent add shop/worker --command cat --suspended
  Agent shop/worker was added, suspended; `gc agent resume shop/worker` lets it work.
  $ gc agent add mayor --command cat --suspended
  Agent mayor was added, suspended; `gc agent resume mayor` lets it work.
  $ printf '\n[[agent]]\nname = "worker"\nstart_command = "cat"\n' >> city.toml
  $ gc reload
  * town * (glob)
  $ gc bead create 'Oil the hinge'
  Created to-1: Oil the hinge
  $ gc agent show shop/wroker
  gc: agent shop/wroker not found; did you mean shop/worker?
  [1]
  $ gc session new mayer
  gc: agent 'mayer' not found; did you mean mayor?
  [1]
  $ gc session show shop/wroker
  gc: session not found: "shop/wroker"; did you mean shop/worker?
  [1]
  $ gc readiness cluade
  gc: gc does not know the program "cluade"; there are claude, codex, gemini, grok, kimi, kiro, cursor, copilot, amp, opencode, mimocode, groq, cerebras, auggie, pi, omp, antigravity, github_cli; did you mean claude?
  [1]
  $ gc sling shop/workr Sweep
  gc: agent shop/workr does not exist in this city; did you mean shop/worker?
  [1]
  $ gc rig show shp
  gc: rig shp not found; did you mean shop?
  [1]
  $ gc bead list --rig shpo
  gc: town has no rig shpo; `gc rig list` lists its rigs; did you mean shop?
  [1]
  $ gc --city twon status
  gc: city not found or not running: twon; did you mean town?
  [1]
  $ gc stop towm
  gc: there is no city towm; `gc cities` lists them; did you mean town?
  [1]
  $ gc stop towm 2>/dev/null
  [1]

A name that is near none is reported with the command that lists valid names.

  $ gc agent show zeppelin
  gc: agent zeppelin not found; `gc agent list` lists valid names
  [1]
  $ gc session show zeppelin
  gc: session not found: "zeppelin"; `gc session list` lists valid names
  [1]
  $ gc rig show zeppelin
  gc: rig zeppelin not found; `gc rig list` lists valid names
  [1]
  $ gc bead show zeppelin
  gc: bead zeppelin does not exist; `gc bead list` lists valid names
  [1]
  $ gc convoy show zeppelin
  gc: convoy zeppelin does not exist; `gc convoy list` lists valid names
  [1]
  $ gc import remove zeppelin
  gc: there is no import "zeppelin"; `gc import list` lists valid names
  [1]
  $ gc status zeppelin
  gc: city not found or not running: zeppelin; `gc cities` lists valid names
  [1]
  $ gc doctor zeppelin
  gc: city not found or not running: zeppelin; `gc cities` lists valid names
  [1]

An error of bd with --json is JSON on standard output, also of a wrong line.

  $ bd show no-1 --json 2>/dev/null
  {
    "error": "no issues found matching the provided IDs",
    "schema_version": 1
  }
  [1]
  $ bd shwo x --json 2>/dev/null
  {
    "error": "unknown command 'shwo'\n(Did you mean show?)",
    "schema_version": 1
  }
  [2]
  $ bd list --limit x --json 2>/dev/null
  {
    "error": "option '-n, --limit <n>' argument 'x' is invalid. It must be an integer of 0 or more.",
    "schema_version": 1
  }
  [2]
  $ bd formula show none --json 2>/dev/null
  {
    "error": "formula \"none\" not found in search paths: */town/formulas; `gc formula list` lists valid names", (glob)
    "schema_version": 1
  }
  [1]
  $ bd close --json 2>/dev/null
  {
    "error": "missing required argument 'beads'",
    "schema_version": 1
  }
  [2]

An error with --json is one line of JSON on standard error, whoever found it.

  $ gc agent show mayer --json
  {"schema_version":"1","ok":false,"error":{"type":"api","code":"agent-not-found","details":[],"message":"agent mayer not found; did you mean mayor?","suggestion":"mayor"}}
  [1]
  $ gc agent show mayer --json 2>/dev/null
  [1]
  $ gc bead list --json --limit x
  {"schema_version":"1","ok":false,"error":{"type":"usage","code":"invalid-argument","details":[],"message":"option '--limit <n>' argument 'x' is invalid. It must be an integer of 0 or more."}}
  [2]
  $ gc sling --json
  {"schema_version":"1","ok":false,"error":{"type":"usage","code":"usage","details":[],"message":"name the agent: `gc sling <agent> <bead>`"}}
  [2]
  $ gc bead list --rig zz --json
  {"schema_version":"1","ok":false,"error":{"type":"failure","code":"rig-not-found","details":[],"message":"town has no rig zz; `gc rig list` lists its rigs"}}
  [1]
  $ GC_URL=http://127.0.0.1:9 gc rig list --json
  {"schema_version":"1","ok":false,"error":{"type":"connection","code":"unreachable","details":[],"message":"no supervisor answers at http://127.0.0.1:* (connection refused); check GC_URL, or start one there with `gc serve`"}} (glob)
  [1]

An agent without a session is reported to have none where a session is named.

  $ gc session show mayor
  gc: session not found: "mayor"; that agent cannot be started: agent is suspended
  [1]
  $ gc agent add scout --provider auggie
  Agent scout was added, but cannot start: provider 'auggie' not found in PATH; its work stays queued until you fix this.
  $ gc session peek scout
  gc: session not found: "scout"; that agent cannot be started: provider 'auggie' not found in PATH
  [1]
  $ gc sling scout 'Find it'
  to-2 goes to scout.
  gc: scout cannot be started: provider 'auggie' not found in PATH; its work stays queued until you fix this
  $ gc city status > /dev/null
  gc: scout cannot be started: provider 'auggie' not found in PATH; its work stays queued until you fix this
  $ gc session list
  No sessions are running; sling work to an agent to start one.
  gc: scout cannot be started: provider 'auggie' not found in PATH; its work stays queued until you fix this
  $ gc agent remove scout
  Agent scout was removed.

A wrong command line shows the help of its own command, also without a supervisor.

  $ GC_URL=http://127.0.0.1:9 gc rig show --jsn shop
  gc: unknown option '--jsn'
  (Did you mean --json?)
  
  Usage: gc rig show [options] <rig>
  ...
  [2]
  $ GC_URL=http://127.0.0.1:9 gc rig lst
  gc: unknown command 'lst'
  (Did you mean list?)
  
  Usage: gc rig [options] [command]
  ...
  [2]

In the folder of a rig a bare name is that of the rig's agent, and elsewhere that of the city's.

  $ mkdir "$SHOP/below"
  $ (cd "$SHOP/below" && gc agent show worker --json=name)
  {"name":"shop/worker"}
  $ gc agent show worker --json=name
  {"name":"worker"}
  $ (cd "$SHOP" && gc agent show mayor --json=name)
  {"name":"mayor"}
  $ (cd "$SHOP" && gc session show worker)
  gc: session not found: "shop/worker"; that agent cannot be started: agent is suspended
  [1]
  $ gc session show worker
  gc: session not found: "worker"; that agent has no session; `gc session new worker` starts one
  [1]
  $ (cd "$SHOP" && gc sling worker 'Sweep the floor' 2>/dev/null)
  sh-1 goes to shop/worker.

Output is the fields that --json= names, or each item by a template.

  $ gc agent list --json=name,suspended
  [{"name":"worker","suspended":false},{"name":"mayor","suspended":true},{"name":"shop/worker","suspended":true}]
  $ gc rig show shop --json=name
  {"name":"shop"}
  $ gc agent list --format '{{.name}}{{if eq .rig "shop"}} in {{.rig}}{{end}}'
  worker
  mayor
  shop/worker in shop
  $ gc agent list --format '{{.name'
  gc: --format "{{.name": this action is not closed; a template looks like '{{.id}} {{.title}}'
  ...
  [2]
  $ gc agent list --json=nmae
  gc: nothing here has the field nmae; there are name, running, suspended, pool, pack_derived, state, available, unavailable_reason, rig
  [{"nmae":null},{"nmae":null},{"nmae":null}]

A name near that of an agent does not look like one without mail or work.

  $ gc mail inbox shop/wroker
  There is no mail for shop/wroker; did you mean shop/worker?
  $ gc mail count shop/wroker
  0 for shop/wroker, 0 unread; did you mean shop/worker?
  $ gc mail inbox shop/worker
  There is no mail for shop/worker.
  $ gc mail send shop/wroker Hello
  gc: there is no recipient called "shop/wroker"; did you mean "shop/worker"?
  [1]
  $ gc hook shop/wroker
  gc: there is no agent shop/wroker; did you mean shop/worker?
  [1]
  $ gc hook mayor
  [1]

A list of nothing says so.

  $ gc import list
  The city imports no packs; `gc import add <source>` imports one.
  $ gc import status
  The city imports no packs; `gc import add <source>` imports one.
  $ gc events --type foo.bar
  gc: no event of type foo.bar is stored
  $ gc events --all --actor nobody --since 10m
  gc: no event by nobody in the last 10m is stored
  $ gc events --type bead.closed --json

An unknown rig, status or state is an error, no empty list.

  $ gc --rig none bead list
  gc: town has no rig none; `gc rig list` lists its rigs
  [1]
  $ gc bead list --rig none
  gc: town has no rig none; `gc rig list` lists its rigs
  [1]
  $ gc bead search x --rig /nowhere
  gc: town has no rig /nowhere; `gc rig list` lists its rigs
  [1]
  $ gc agent list --rig none
  gc: town has no rig none; `gc rig list` lists its rigs
  [1]
  $ gc --rig none session list
  gc: town has no rig none; `gc rig list` lists its rigs
  [1]
  $ gc bead list --status opne
  gc: option '--status <status>' argument 'opne' is invalid. It can be: open, in_progress, closed, blocked, deferred, pinned or hooked.
  ...
  [2]
  $ gc bead search x --status opne
  gc: option '--status <status>' argument 'opne' is invalid. It can be: open, in_progress, closed, blocked, deferred, pinned or hooked.
  ...
  [2]
  $ gc session list --state sleepy
  gc: option '--state <state>' argument 'sleepy' is invalid. It can be: active, suspended, closed, all, asleep, quarantined, draining, archived, start-pending, creating, failed-create.
  ...
  [2]
  $ bd --rig none list
  Error: town has no rig none; `gc rig list` lists its rigs
  [1]
  $ gc bead list --rig "$SHOP" --status in-progress
  No beads match.

A request that the server rejects ends with status 1 and the server's sentence.

  $ gc bead show to-99999
  gc: bead to-99999 does not exist; `gc bead list` lists valid names
  [1]
  $ gc agent add nowhere/x --command cat
  gc: there is no rig "nowhere"; add it first, or leave dir out for an agent of the city
  [1]
  $ gc rig add ../not-there
  gc: */not-there is not a folder; create it first, or give another path (glob)
  [1]
  $ gc sling shop/nobody Work
  gc: agent shop/nobody does not exist in this city; `gc agent list` lists valid names
  [1]
  $ gc session stop nobody
  gc: session not found: "nobody"; `gc session list` lists valid names
  [1]
  $ gc --city nowhere status
  gc: city not found or not running: nowhere; `gc cities` lists valid names
  [1]

A server in read-only mode answers reads and rejects changes.

  $ mkdir ../frozen ../strict
  $ gc serve --read-only --port 0 --home ../frozen > ../frozen/out 2>&1 &
  $ frozen=$!
  $ gc serve --require-token --port 0 --home ../strict > ../strict/out 2>&1 &
  $ strict=$!
  $ await 'answers at' cat ../frozen/out
  $ at() { home=$(cd ../$1 && pwd); shift; (cd / && GC_HOME=$home GC_URL=$(grep -o 'http://[0-9.:]*' $home/out | head -1) "$@"); }
  $ at frozen gc city list
  There is no city yet; create one with `gc init <folder>`.
  $ at frozen gc init "$PWD/../another"
  gc: this server takes no changes; it was started read-only
  [1]
  $ test -e ../another
  [1]

Without a chosen city an error says how to make one.

  $ at frozen gc bead list
  gc: there is no city yet; create one with `gc init <folder>`
  [1]
  $ kill $frozen

The token in the operator's home is used where one is required, and another is rejected.

  $ await 'answers at' cat ../strict/out
  $ at strict gc city list
  There is no city yet; create one with `gc init <folder>`.
  $ at strict env GC_TOKEN=gco_wrong gc city list
  gc: invalid or expired token; a session gets a new one when it restarts, a person from the operator
  [1]
  $ at strict env GC_HOME=/nowhere gc city list
  gc: this server requires a token: send Authorization: Bearer <token>, with the one in $GC_HOME/token, or that of a session in its GC_TOKEN
  [1]
  $ kill $strict
  $ wait

The supervisor reported nothing but the changes of people.

  $ grep -v ', by operator$' ../serve.log
  [1]
