Scripts of packs read rigs as JSON, with the city among them.

  $ gc rig list --json
  {"schema_version":"1","ok":true,"city_path":"*/town","city_name":"town","rigs":[{"name":"town","path":"*/town","prefix":"to","hq":true,"suspended":false,"running":true,"beads":"initialized"},{"name":"shop","path":"*/shop","prefix":"sh","hq":false,"suspended":false,"running":false,"beads":"initialized"}],"summary":{"total":1,"suspended":0,"running":0},"items":[{"name":"shop","path":"*/shop","suspended":false,"prefix":"sh","agent_count":0,"running_count":0}],"total":1} (glob)
  $ gc rig status shop --json
  {"schema_version":"1","ok":true,"rig":{"name":"shop","path":"*/shop","prefix":"sh","suspended":false,"beads":"initialized"},"agents":[]} (glob)

They read sessions, agents, convoys and the status of the city.

  $ gc agent add shop/smith --command 'exec sleep 600'
  Agent shop/smith was added; give it work with `gc sling shop/smith "<what to do>"`.
  $ gc session new smith --alias sam --no-attach --rig shop --json
  {"schema_version":"1","ok":true,"id":"to-1","kind":"agent","template":"shop/smith","state":"active","title":"shop/smith","alias":"sam","provider":"command","submission_capabilities":{"supports_follow_up":true,"supports_interrupt_now":true},"session_name":"s-to-1","work_dir":"*/shop","created_at":"*","last_active":"*","attached":false,"running":true,"rig":"shop","agent_kind":"role","session_id":"to-1"} (glob)
  $ gc session list --json
  {"schema_version":"1","ok":true,"filters":{},"sessions":[{"id":"to-1","kind":"agent","template":"shop/smith","state":"active","title":"shop/smith","alias":"sam","provider":"command","submission_capabilities":{"supports_follow_up":true,"supports_interrupt_now":true},"session_name":"s-to-1","work_dir":"*/shop","created_at":"*","last_active":"*","attached":false,"running":true,"rig":"shop","agent_kind":"role","closed":false,"name":"sam","agent_name":"shop/smith"}],"summary":{"total":1,"active":1,"suspended":0,"closed":0},"items":[{"id":"to-1","kind":"agent","template":"shop/smith","state":"active","title":"shop/smith","alias":"sam","provider":"command","submission_capabilities":{"supports_follow_up":true,"supports_interrupt_now":true},"session_name":"s-to-1","work_dir":"*/shop","created_at":"*","last_active":"*","attached":false,"running":true,"rig":"shop","agent_kind":"role"}],"total":1} (glob)
  $ gc --rig shop session list --json=alias
  [{"alias":"sam"}]
  $ gc agent list --json | grep -o '"agents":\[{[^}]*}'
  "agents":[{"name":"smith","qualified_name":"shop/smith","dir":"shop","scope":"rig","suspended":false,"work_query":"gc hook shop/smith --json","sling_query":"gc sling shop/smith {}
  $ gc agent list --json=name
  [{"name":"shop/smith"}]
  $ gc rig status shop --json
  {"schema_version":"1","ok":true,"rig":{"name":"shop","path":"*/shop","prefix":"sh","suspended":false,"beads":"initialized"},"agents":[{"name":"smith","qualified_name":"shop/smith","scope":"rig","running":true,"suspended":false,"session_name":"s-to-1","draining":false,"runtime_session_name":"s-to-1","status":"running"}]} (glob)
  $ gc status --json=name,city_name,city_path,controller,agents,rigs,summary
  {"name":"town","city_name":"town","city_path":"*/town","controller":{"running":true,"mode":"supervisor","status":"running"},"agents":[{"name":"smith","qualified_name":"shop/smith","scope":"rig","running":true,"suspended":false,"session_name":"s-to-1","draining":false}],"rigs":[{"name":"shop","path":"*/shop","suspended":false,"prefix":"sh"}],"summary":{"total_agents":1,"running_agents":1,"suspended_agents":0,"quarantined_agents":0,"total_rigs":1,"suspended_rigs":0,"active_sessions":1,"suspended_sessions":0}} (glob)
  $ gc bead create 'In a convoy'
  Created to-2: In a convoy
  $ gc convoy create Fleet to-2 --owner kim --json
  {"schema_version":"1","ok":true,"command":"convoy.create","action":"create","convoy_id":"to-3","issue_ids":["to-2"],"id":"to-3","title":"Fleet","status":"open","issue_type":"convoy","created_at":"*","updated_at":"*","metadata":{"convoy.owner":"kim"},"dependencies":[{"issue_id":"to-3","depends_on_id":"to-2","type":"tracks"}]} (glob)
  $ gc convoy list --json
  {"schema_version":"1","ok":true,"convoys":[{"id":"to-3","title":"Fleet","status":"open","progress":{"closed":0,"total":1},"owned":false,"fields":{"owner":"kim"}}],"summary":{"total":1},"items":[{"id":"to-3","title":"Fleet","status":"open","issue_type":"convoy","created_at":"*","updated_at":"*","metadata":{"convoy.owner":"kim"},"dependencies":[{"issue_id":"to-3","depends_on_id":"to-2","type":"tracks"}]}],"total":1} (glob)

They read cities.

  $ gc cities --json
  {"schema_version":"1","ok":true,"registry_path":"*/home/supervisor.db","cities":[{"name":"town","path":"*/town"}],"items":[{"name":"town","path":"*/town","running":true}],"total":1} (glob)
  $ gc cities list --json
  {"schema_version":"1","ok":true,"registry_path":"*/home/supervisor.db","cities":[{"name":"town","path":"*/town"}],"items":[{"name":"town","path":"*/town","running":true}],"total":1} (glob)
  $ gc cities
  CITY  STATE    FOLDER
  town  running  */town (glob)

Ready work of all rigs is a plain list.

  $ gc bead create Here --rig ''
  Created to-4: Here
  $ gc bead create There --rig shop
  Created sh-1: There
  $ gc ready --json=id
  [{"id":"to-2"},{"id":"to-4"},{"id":"sh-1"}]
  $ gc ready --json | cut -c-8
  [{"id":"
  $ gc ready --metadata-field k=v --json
  []
  $ gc ready --status opne
  gc: option '--status <statuses>' argument 'opne' is invalid. It can be: open, in_progress, closed, blocked, deferred, pinned or hooked.
  ...
  [2]

The graph of beads says what is ready and what blocks the rest.

  $ gc bead create Root --type epic
  Created to-5: Root
  $ gc bead create 'First "of" two' --parent to-5
  Created to-6: First "of" two
  $ gc bead create Second --parent to-5 --needs to-6
  Created to-7: Second
  $ gc graph to-5 --json
  {"schema_version":"1","ok":true,"input":["to-5"],"nodes":[{"id":"to-5","title":"Root","status":"open","type":"epic","blocked_by":[],"open_blockers":[],"ready":true},{"id":"to-6","title":"First \"of\" two","status":"open","type":"task","parent_id":"to-5","blocked_by":[],"open_blockers":[],"ready":true},{"id":"to-7","title":"Second","status":"open","type":"task","parent_id":"to-5","blocked_by":["to-6"],"open_blockers":["to-6"],"ready":false}],"summary":{"total":3,"closed":0,"ready":2,"blocked":1}}
  $ gc graph to-5 --tree
  to-5  ready  Root
    to-6  ready  First "of" two
    to-7  blocked  Second  waits for to-6
  $ gc graph to-5 --mermaid
  graph TD
    to-5["to-5: Root (open)"]
    to-6["to-6: First 'of' two (open)"]
    to-7["to-7: Second (open)"]
    to-6 --> to-7

An address may end in a slash.

  $ gc agent add mayor --command 'exec sleep 600'
  Agent mayor was added; give it work with `gc sling mayor "<what to do>"`.
  $ gc mail send mayor/ -s Hello
  Sent to-8 to mayor.
  $ gc mail inbox --address mayor/ --json=to,subject
  [{"to":"mayor","subject":"Hello"}]
  $ gc session nudge sam/ --message 'wake up'
  Sent to sam/.
  $ gc sling mayor/ 'Look around'
  to-9 goes to mayor.
  $ await mayor gc session list
  $ gc mail send nobody/ -s x
  gc: there is no recipient called "nobody": address a session by id, alias or name, an agent by its name, or human
  [1]

A session waits for beads in the words of packs.

  $ gc bead create Awaited
  Created to-12: Awaited
  $ gc session wait sam --on-beads to-7 --any --note 'then go on' --sleep
  Wait to-13 of s-to-1 is pending.
  End your turn now: you are woken when it is over.
  $ gc session wait sam
  gc: required option '--on-beads <beads>' not specified
  ...
  [2]

Work for an agent runs its default formula, unless the command leaves that out.

  $ gc agent add formal --command cat --suspended
  Agent formal was added, suspended; `gc agent resume formal` lets it work.
  $ echo 'default_sling_formula = "polish"' >> agents/formal/agent.toml
  $ gc reload
  * town * (glob)
  $ gc sling formal Shine
  gc: formula "polish" not found in search paths: */town/formulas (glob)
  [1]
  $ gc sling formal Shine --no-formula
  to-15 goes to formal.
  gc: formal cannot be started: agent is suspended; its work stays queued until you fix this
  $ mkdir formulas
  $ cat > formulas/polish.toml <<'END'
  > formula = "polish"
  > [requires]
  > formula_compiler = ">=2.0.0"
  > [[steps]]
  > id = "rub"
  > title = "Rub"
  > END
  $ gc sling formal Shine
  to-17 goes to formal.
  gc: formal cannot be started: agent is suspended; its work stays queued until you fix this
  $ gc run list
  RUN    STATUS   FORMULA  TARGET  UPDATED  TITLE
  to-19  pending  polish   formal  * polish (glob)

A formula that is not there is named, and its words are not taken for work.

  $ gc bead create Work
  Created to-22: Work
  $ gc sling mayor mol-x --formula --var a=b
  gc: formula "mol-x" not found in search paths: */town/formulas (glob)
  [1]
  $ gc sling mayor to-22 --on mol-x --var a=b
  gc: formula "mol-x" not found in search paths: */town/formulas (glob)
  [1]
  $ gc sling --target mayor to-22 --on mol-x
  gc: formula "mol-x" not found in search paths: */town/formulas (glob)
  [1]
  $ gc sling mayor words --var a=b
  gc: --title, --var and --scope-… are about a formula
  ...
  [2]
  $ gc sling mayor to-22 --dry-run --json
  {"schema_version":"1","ok":true,"success":true,"target":"mayor","bead_id":"to-22","routed":false,"queued":false,"dry_run":true}
  $ gc sling nobody to-22 --dry-run
  gc: agent nobody does not exist in this city; `gc agent list` lists valid names
  [1]

Work is given once: as words or by --prompt.

  $ gc sling formal --no-formula --prompt 'Oil the hinge'
  to-23 goes to formal.
  gc: formal cannot be started: agent is suspended; its work stays queued until you fix this
  $ gc sling formal Oil --prompt Paint
  gc: give the work once: as words, by --prompt or by --stdin
  ...
  [2]

A message goes to the session of --session, or to a person.

  $ gc nudge --session sam Look here
  Sent to sam.
  $ gc mail send --human -s Done
  Sent to-25 to human.
  $ gc mail inbox human --json=subject
  [{"subject":"Done"}]

Events are selected by values of their payload.

  $ gc events --payload-match 'bead.title=Awaited' --format '{{.type}} {{.subject}}'
  bead.created to-12
  $ gc events --payload-match title
  gc: option '--payload-match <key=value>' argument 'title' is invalid. It must look like key=value or key.subkey=value.
  ...
  [2]

An agent has the skills that it is given, with the name of their pack.

  $ mkdir -p skills/oil
  $ echo '# Oil' > skills/oil/SKILL.md
  $ printf '[pack]\nname = "town"\nschema = 2\n' > pack.toml
  $ gc skill list --agent mayor --json
  {"schema_version":"1","ok":true,"agent":"mayor","count":1,"entries":[{"name":"oil","source":"town","path":"*/town/skills/oil/SKILL.md"}],"skills":[{"name":"oil","pack":"town","path":"*/town/skills/oil"}],"items":[{"name":"oil","pack":"town","path":"*/town/skills/oil"}],"total":1} (glob)
  $ gc skill list --agent mayr
  gc: there is no agent mayr; `gc agent list` lists them; did you mean mayor?
  [1]

A rig is added with the packs that are imported for it.

  $ mkdir -p packs/hands/agents/hand ../barn ../shed
  $ printf '[pack]\nname = "hands"\nschema = 2\n' > packs/hands/pack.toml
  $ printf 'start_command = "sleep 600"\nscope = "rig"\n' > packs/hands/agents/hand/agent.toml
  $ gc rig add ../barn --include packs/hands
  Rig barn was added to town.
  Added import "hands" for it.
  $ tail -4 city.toml
  name = "barn"
  
  [rigs.imports.hands]
  source = "./packs/hands"
  $ gc agent list --json | grep -o '"qualified_name":"barn/[^"]*"'
  "qualified_name":"barn/hands.hand"
  $ gc rig add ../shed --include ../no-pack
  gc: rig shed was added without its packs: invalid import source: there is no pack.toml in */no-pack (glob)
  [1]
  $ gc rig remove barn
  Rig barn was removed from town; its folder is kept.
  $ gc rig remove shed
  Rig shed was removed from town; its folder is kept.

An import of agents that cannot start says why.

  $ mkdir -p packs/odd/agents/hand
  $ printf '[pack]\nname = "odd"\nschema = 2\n' > packs/odd/pack.toml
  $ echo 'start_command = ' > packs/odd/agents/hand/agent.toml
  $ gc import add packs/odd
  gc: packs/odd/agents/hand/agent.toml:1: is not TOML: Unspecified values are invalid; the agent does not start until this is fixed
  gc: packs/odd/agents/hand/agent.toml:1: provider: it has neither a provider nor a start_command
  Added import "odd" from ./packs/odd
  $ gc import remove odd
  Removed import "odd"

Files that cannot be applied leave the last good configuration in force.

  $ gc reload --soft --async --json=city_path,async,soft
  {"city_path":"*/town","async":true,"soft":true} (glob)
  $ cp city.toml ../good.toml
  $ printf '\n[[agent]\n' >> city.toml
  $ gc reload
  gc: town keeps its last good configuration:
  city.toml:20: is not TOML: Unterminated table-key
  agents/smith/agent.toml:1: dir: there is no rig "shop"; add it, or take dir out
  [1]
  $ cp ../good.toml city.toml
  $ gc reload
  * town * (glob)
  $ mkdir agents/later
  $ echo 'start_command = "cat"' > agents/later/agent.toml
  $ gc reload
  * town * (glob)
  $ gc reload
  Nothing has changed in town since *, when agents/later/agent.toml was applied. (glob)
  $ rm -r agents/later

Commands for parts that gc does not have answer truly.

  $ gc formula show x --json
  {"schema_version":"1","ok":false,"error":{"type":"api","code":"formula-not-found","details":[],"message":"formula \"x\" not found in search paths: */town/formulas; `gc formula list` lists valid names"}} (glob)
  [1]
  $ gc order run x
  gc: order not found: x; `gc order list --all` lists valid names
  [1]
  $ gc workflow delete-source x --apply
  gc: bead x does not exist; `gc bead list` lists valid names
  [1]
  $ gc order sweep-tracking --stale-after 10m --quiet
  $ gc dolt health
  nothing to do for `gc dolt`: gc maintains its data
  $ gc dolt health --json
  {"schema_version":"1","ok":true,"command":"dolt","message":"nothing to do for `gc dolt`: gc maintains its data","storage":"sqlite"}
  $ gc dolt-cleanup --apply
  nothing to do for `gc dolt-cleanup`: gc maintains its data
  $ gc convoy autoclose x
  nothing to do for `gc convoy autoclose`: gc closes a convoy with its last bead
  $ gc beads health
  nothing to do for `gc beads`: gc maintains its data

The supervisor reported nothing but the changes of people and what was wrong with files.

  $ grep -vE ', by operator$|has warnings:$|keeps its last good configuration:$|^(packs|agents|city.toml)' ../serve.log
  [1]
