A city is stopped, started and restarted; a command for a stopped one says how to start it.

  $ gc stop
  City town is stopped; `gc start town` starts it again, `gc down` ends everything.
  $ gc cities
  CITY  STATE    FOLDER
  town  stopped  */town (glob)
  $ gc bead list
  gc: city not found or not running: town (it is stopped; `gc start town` starts it)
  [1]
  $ gc prime clerk
  gc: city not found or not running: town (it is stopped; `gc start town` starts it)
  [1]
  $ gc start --dry-run
  City town would be started.
  $ gc start town --json
  {"schema_version":"1","ok":true,"command":"start","message":"City town is up at */town.","city_name":"town","city_path":"*/town"} (glob)
  $ gc start "$PWD"
  City town runs at */town. (glob)
  $ gc restart --timeout 30s
  City town is up at */town. (glob)
  $ gc start /nowhere
  gc: there is no city called /nowhere, and no city.toml in /nowhere; `gc init /nowhere` makes one
  [1]

A city is written without being started; gc start registers it.

  $ gc init ../village --name hamlet --providers claude,codex --no-start --yes --json
  {"schema_version":"1","ok":true,"command":"init","city_path":"*/village","city_name":"hamlet","mode":"minimal","started":false} (glob)
  $ grep -A1 codex ../village/city.toml
  [providers."codex"]
  base = "builtin:codex"
  $ gc start ../village --json
  {"schema_version":"1","ok":true,"command":"start","message":"City hamlet is up at */village.","city_name":"hamlet","city_path":"*/village"} (glob)
  $ gc init ../village --name again
  gc: city already initialized at */village; `gc start */village` starts it (glob)
  ...
  [2]

A city is copied without its state and links.

  $ mkdir -p ../village/agents/idle
  $ echo 'start_command = "cat"' > ../village/agents/idle/agent.toml
  $ ln -s /etc ../village/etc
  $ gc init ../copy --from ../village --name copy
  City copy is up at */copy. (glob)
  $ gc --city copy agent list
  AGENT  STATE
  idle   stopped
  $ ls ../copy
  agents
  city.toml
  $ gc init ../x --from "$SHOP"
  gc: */shop is not a city: it has no city.toml (glob)
  [1]

A city begins with a file, or with a template that names what it needs.

  $ printf '[[agent]]\nname = "solo"\nstart_command = "cat"\n' > ../mine.toml
  $ gc init ../filed --file ../mine.toml
  City filed is up at */filed. (glob)
  Next: gc --city filed rig add <folder>, then gc agent add <rig>/<name>.
  $ gc --city filed agent list
  AGENT  STATE
  solo   stopped
  $ gc init ../old --template gastown --no-start
  City old is written to */old. Next, in that folder: gc import install, then gc start. (glob)
  $ grep -A1 imports ../old/pack.toml
  [imports.core]
  source = "https://github.com/gastownhall/gascity.git//internal/bootstrap/packs/core"
  --
  [imports.gastown]
  source = "https://github.com/gastownhall/gascity-packs.git//gastown"
  $ gc init ../y --template castle
  gc: option '--template <template>' argument 'castle' is invalid. Allowed choices are minimal, empty, custom, gastown, gascity.
  ...
  [2]
  $ gc init ../y --from a --file b
  gc: give --from or --file, not both
  ...
  [2]

An option prints the version as well.

  $ test "$(gc --version)" = "$(gc version)"

The supervisor reported nothing but the changes of people.

  $ grep -v ', by operator$' ../serve.log
  [1]
