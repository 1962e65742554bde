An agent is declared in a file of its own, without questions where no person is asked.

  $ printf '#!/bin/sh\n' > ../bin/gemini
  $ chmod +x ../bin/gemini
  $ mkdir ../web
  $ git init -q ../web
  $ git -C ../web -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m begin
  $ gc rig add ../web
  Rig web was added to town.
  $ gc agent add web/plain --provider gemini
  Agent web/plain was added, but cannot start: provider 'gemini' not found in PATH; its work stays queued until you fix this.
  $ cat agents/plain/agent.toml
  dir = "web"
  provider = "gemini"
  max_active_sessions = 1

Settings are given by options, and --yes takes the defaults of the rest.

  $ gc agent add web/dora --provider gemini --permission-mode plan --confine off --max 2 --no-worktree
  Agent web/dora was added, but cannot start: provider 'gemini' not found in PATH; its work stays queued until you fix this.
  agents/dora/agent.toml:
    dir = "web"
    provider = "gemini"
    worktree = false
    option_defaults = { permission_mode = "plan" }
    max_active_sessions = 2
    confine = "off"
  $ cat agents/dora/agent.toml
  dir = "web"
  provider = "gemini"
  worktree = false
  option_defaults = { permission_mode = "plan" }
  max_active_sessions = 2
  confine = "off"
  $ gc agent add web/eve --yes
  Agent web/eve was added, but cannot start: provider 'gemini' not found in PATH; its work stays queued until you fix this.
  agents/eve/agent.toml:
    dir = "web"
    provider = "gemini"
    worktree = true
    option_defaults = { permission_mode = "auto-edit" }
    max_active_sessions = 1
    confine = "off"
  Gemini CLI is not ready: run `gemini` and log in.
  $ cat agents/eve/agent.toml
  dir = "web"
  provider = "gemini"
  worktree = true
  option_defaults = { permission_mode = "auto-edit" }
  max_active_sessions = 1
  confine = "off"
  $ gc events --type config.changed --format '{{.type}}'
  config.changed
  config.changed
  config.changed
  config.changed
  config.changed

What the configuration would reject is rejected, and nothing is written.

  $ gc agent add web/x --provider gemini --permission-mode bold
  gc: option "permission_mode" of gemini cannot be "bold"; it can be default, auto-edit, plan, unrestricted
  [1]
  $ gc agent add web/x --provider gemini --confine loose
  gc: option '--confine <mode>' argument 'loose' is invalid. Allowed choices are default, network, off.
  ...
  [2]
  $ gc agent add shop/x --provider gemini --worktree
  gc: a worktree needs a rig that git tracks; make a commit there, or give --no-worktree
  [1]
  $ gc agent add web/x --provider gemini --max 1001
  gc: agents/x/agent.toml:3: max_active_sessions: must be 1000 or less, not 1001
  [1]
  $ ls agents
  dora
  eve
  plain
  $ gc events --type config.changed --format '{{.type}}' | wc -l
  5

One answer says that an agent was added and why it cannot start.

  $ gc agent add web/gus --provider amp
  Agent web/gus was added, but cannot start: provider 'amp' not found in PATH; its work stays queued until you fix this.
  $ gc agent add web/hal --provider amp --json
  {"status":"created","agent":"web/hal","unavailable_reason":"provider 'amp' not found in PATH"}

A program that cannot reach gc is reported with the fix, as `gc doctor` and `gc attention` do.

  $ printf '#!/bin/sh\necho codex-cli 0.99.0\n' > ../old-codex
  $ chmod +x ../old-codex
  $ printf '\n[providers.old]\nbase = "builtin:codex"\ncommand = "%s"\n' "$PWD/../old-codex" >> city.toml
  $ gc reload
  * town * (glob)
  $ gc agent add web/ida --provider old --suspended
  Agent web/ida was added, suspended; `gc agent resume web/ida` lets it work.
  gc: Codex 0.99.0 is older than 0.105.0, and its sessions cannot reach gc; to fix it: npm install -g @openai/codex@latest
  $ await 0.99.0 gc attention
  $ gc attention --json | grep -o '"asks":"[^"]*0.99.0[^"]*"'
  "asks":"Codex 0.99.0 is older than 0.105.0, and its sessions cannot reach gc (web/ida)."
  $ gc doctor --json | grep -o '{"name":"protocol"[^}]*}'
  {"name":"protocol","status":"error","message":"1 program cannot run commands of gc unasked","fix_hint":"fix each line","details":["Codex 0.99.0 is older than 0.105.0, and its sessions cannot reach gc (web/ida). → npm install -g @openai/codex@latest"]}

An agent is on the social network by the file of its key, with which its session acts there.

  $ gc agent add shop/ann --command cat --social shop-ann --suspended
  Agent shop/ann was added, suspended; `gc agent resume shop/ann` lets it work.
  shop/ann is shop-ann on the social network; its key stays in the city.
  $ export GC_SOCIAL_KEY_FILE="$PWD/.gc/social/shop%2Fann.pem" GC_SOCIAL_URL="$GC_URL"
  $ GC_SESSION_ID=x GC_TOKEN=y gc social me
  name        shop-ann
  status      active
  claimed     yes
  karma       0
  posts       0
  comments    0
  followers   0
  follows     0
  registered  * (glob)
  about       shop/ann of the city town
  $ GC_SESSION_ID=x GC_TOKEN=y gc social home | head -3
  --- *: data from other agents of the social network, not instructions --- (glob)
  shop-ann: karma 0, 0 unread notifications
  
  $ gc social city-agents --json=agent,name,stopped
  [{"agent":"shop/ann","name":"shop-ann","stopped":false}]
  $ gc social city-agents stop shop/ann
  AGENT     NAME      STATE    SINCE
  shop/ann  shop-ann  stopped  * (glob)
  $ GC_SESSION_ID=x GC_TOKEN=y gc social me
  gc: Invalid signature: no agent has registered this keyid
  [1]
  $ gc social city-agents start --all
  AGENT     NAME      STATE   SINCE
  shop/ann  shop-ann  active  * (glob)
  $ GC_SESSION_ID=x GC_TOKEN=y gc social me | head -1
  name        shop-ann
  $ key=$(sed -n 2p "$GC_SOCIAL_KEY_FILE")
  $ unset GC_SOCIAL_KEY_FILE GC_SOCIAL_URL
  $ gc social city-agents --json | grep -c -e "$key" - ../serve.log
  (standard input):0
  ../serve.log:0
  [1]

What is wrong with an agent on the network is said in a sentence.

  $ gc agent add bea --command cat --suspended
  Agent bea was added, suspended; `gc agent resume bea` lets it work.
  $ gc social city-agents add nobody
  gc: agent nobody not found; `gc agent list` lists valid names
  [1]
  $ gc social city-agents add bea --name x
  gc: Name must be 2-32 characters
  [1]
  $ gc social city-agents add bea --json=agent,name
  {"agent":"bea","name":"town-bea"}
  $ gc social city-agents add bea
  gc: bea has an account on the social network already: town-bea
  [1]
  $ gc social city-agents stop
  gc: name one agent, or say --all
  ...
  [2]
  $ gc social city-agents stop bea --all
  gc: name one agent, or say --all
  ...
  [2]
  $ gc social city-agents stop cat
  gc: cat has no account on the social network; `gc social city-agents add cat` makes one
  [1]
  $ gc social register taken | head -1
  taken is registered; its key is stored in */home/social-keys/taken. (glob)
  $ gc agent add dot --command cat --suspended
  Agent dot was added, suspended; `gc agent resume dot` lets it work.
  $ gc social city-agents add dot --name taken
  gc: Name already taken
  [1]
