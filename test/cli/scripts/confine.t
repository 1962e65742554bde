Agents are sandboxed by default in all cities, or not, unless they say otherwise.

  $ export GC_URL=http://127.0.0.1:9 GC_HOME="$(cd .. && pwd)/own"
  $ mkdir ../city
  $ cd ../city
  $ cat > ../base.toml <<'END'
  > [[rigs]]
  > name = "shop"
  > path = "/srv/shop"
  > [rigs.confine]
  > share = { memory = "2GB" }
  > [[agent]]
  > name = "w"
  > dir = "shop"
  > start_command = "x"
  > confine = { mode = "network", write = ["/srv/out"], allow_hosts = ["example.com"], ports = [5432] }
  > [[agent]]
  > name = "free"
  > dir = "shop"
  > start_command = "x"
  > END
  $ (cat ../base.toml; printf '[[agent]]\nname = "open"\nstart_command = "x"\nconfine = "off"\n') > city.toml
  $ gc confine on
  */own/supervisor.toml says [confine] default = "default". (glob)
  Agents run in a sandbox unless their configuration disables it, and every request needs a token. `gc agent list` shows agents that cannot start in one.
  $ gc confine explain free | head -1
  shop/free is sandboxed: it changes only its own folder and reaches only the hosts and ports listed here (the default).
  $ gc confine explain open
  open is not sandboxed: it runs with your permissions; confine = "default" adds a sandbox (city.toml:18).
  $ gc confine on network
  */own/supervisor.toml says [confine] default = "network". (glob)
  Agents run in a sandbox unless their configuration disables it, and every request needs a token. `gc agent list` shows agents that cannot start in one. They reach every network.
  $ gc confine explain free | head -1
  shop/free is sandboxed in its own folder and reaches every network (the default).
  $ cat "$GC_HOME/supervisor.toml"
  [confine]
  default = "network"
  $ gc confine off
  */own/supervisor.toml says [confine] default = "off". (glob)
  Only agents that declare a sandbox run in one. All others run with your permissions.
  $ gc confine explain free
  shop/free is not sandboxed: it runs with your permissions; confine = "default" adds a sandbox (the default).

A session may not change that, and a file that gc cannot read stays as it is.

  $ GC_SESSION_ID=gc-1 GC_TOKEN=gcs_x gc confine on
  gc: a session may not change how agents are sandboxed; ask the operator
  [1]
  $ GC_SESSION_ID=gc-1 GC_TOKEN=gcs_x gc confine off
  gc: a session may not change how agents are sandboxed; ask the operator
  [1]
  $ cat "$GC_HOME/supervisor.toml"
  [confine]
  default = "off"
  $ echo '[confine' > "$GC_HOME/supervisor.toml"
  $ gc confine on
  gc: supervisor.toml:1: Unterminated table-key; put $GC_HOME/supervisor.toml right
  [1]
  $ cat "$GC_HOME/supervisor.toml"
  [confine
  $ rm "$GC_HOME/supervisor.toml"

The sandbox of an agent is explained with the line that says each rule.

  $ (cat ../base.toml; echo 'confine = "off"') > city.toml
  $ gc confine explain w | grep -E "sandboxed|session|SAID|/srv|/usr|^network|^host|^port|^memory"
  shop/w is sandboxed in its own folder and reaches every network (city.toml:10).
  ACCESS   WHAT                                                                SAID BY
  write    the session's own folder                                            gc
  write    /srv/out                                                            agent, city.toml:10
  read     /usr                                                                gc
  network  ports that it listens on itself, and the API of gc                  gc
  network  every address but link-local ones and those of metadata             agent, city.toml:10
  host     example.com                                                         agent, city.toml:10
  port     5432                                                                agent, city.toml:10
  memory   2048 MB                                                             rig, city.toml:5
  Limits of cpu and memory: * (for a session host started from here; none is running); `gc session show` shows that of a running one. (glob)
  $ gc confine explain shop/w --json | grep -oE '^.*"rules"|[{][^{]*/srv/out[^}]*[}]|"problems".*'
  {"agent":"shop/w","confine":"network","file":"city.toml","line":10,"rules"
  {"access":"write","what":"/srv/out","by":"agent","file":"city.toml","line":10}
  "problems":[],"withheld":[]}
  $ gc confine explain shop/free
  shop/free is not sandboxed: it runs with your permissions; confine = "default" adds a sandbox (city.toml:15).

An agent that is not there, and a sandbox that is none, are errors.

  $ gc confine explain wo
  gc: there is no agent "wo"; `gc agent list` names them
  [1]
  $ mkdir ../void
  $ sed 's|/srv/out|~/.ssh|' ../base.toml > ../void/city.toml
  $ (cd ../void && gc confine explain w)
  gc: city.toml:10: confine write: "~/.ssh" would void confinement: */user/.ssh decides what programs do that are not confined (glob)
  [1]

The hosts that an agent reaches on its own are listed with what each is for.

  $ git init -q "$SHOP"
  $ git -C "$SHOP" remote add origin https://git.example.org/a.git
  $ sed "s|/srv/shop|$SHOP|" ../base.toml > ../shared.toml
  $ printf 'provider = "claude"\nconfine = "default"\nworktree = true\n' >> ../shared.toml
  $ sed 's|^share = .*|allow_hosts = ["example.com"]|; s|^name = "w"|&\nworktree = true|' ../shared.toml > city.toml
  $ gc confine explain free | grep -E 'sandboxed|claude|registry.npmjs|example'
  shop/free is sandboxed: it changes only its own folder and reaches only the hosts and ports listed here (city.toml:17).
  host     api.anthropic.com                                                   gc, for provider claude
  host     console.anthropic.com                                               gc, for provider claude
  host     platform.claude.com                                                 gc, for provider claude
  host     claude.ai                                                           gc, for provider claude
  host     registry.npmjs.org                                                  gc, for packages
  host     git.example.org                                                     gc, for remotes of its rig
  host     example.com                                                         rig, city.toml:5
  $ gc confine explain w | grep -E 'sandboxed|^host|^network'
  shop/w is sandboxed in its own folder and reaches every network (city.toml:11).
  network  ports that it listens on itself, and the API of gc                  gc
  network  every address but link-local ones and those of metadata             agent, city.toml:11
  host     example.com                                                         rig, city.toml:5
  host     example.com                                                         agent, city.toml:11

The host of the rig's remote is left out while another agent, which works in the folder of the rig, could change the remote.

  $ cp ../shared.toml city.toml
  $ gc confine explain free | grep -E 'sandboxed|claude|registry.npmjs|example'
  shop/free is sandboxed: it changes only its own folder and reaches only the hosts and ports listed here (city.toml:16).
  host     api.anthropic.com                                                   gc, for provider claude
  host     console.anthropic.com                                               gc, for provider claude
  host     platform.claude.com                                                 gc, for provider claude
  host     claude.ai                                                           gc, for provider claude
  host     registry.npmjs.org                                                  gc, for packages

Sandboxed sessions of a provider read the login of its program while a person shares it.

  $ mkdir -p ~/.claude
  $ echo '{}' > ~/.claude/.credentials.json
  $ printf '[[agent]]\nname = "ann"\nprovider = "claude"\n' > city.toml
  $ cp city.toml ../ann.toml
  $ gc confine share-login claude
  Sandboxed sessions of claude read */user/.claude/.credentials.json from their next start. (glob)
  Every program in a session can then read it and use your subscription until you log out. `gc confine share-login claude --stop` ends that.
  $ cat city.toml
  [[agent]]
  name = "ann"
  provider = "claude"
  
  [providers.claude.confine]
  share_login = true
  $ gc confine explain ann | grep login
  read     the login of its program                                            provider, city.toml:6
  $ gc confine share-login claude --stop
  Sandboxed sessions of claude do not read */user/.claude/.credentials.json from their next start. (glob)
  $ cat city.toml
  [[agent]]
  name = "ann"
  provider = "claude"
  
  [providers.claude.confine]
  share_login = false
  $ gc confine explain ann | grep login
  [1]

That is written where the file says how the provider is sandboxed.

  $ (cat ../ann.toml; printf '[providers.claude.confine]\nports = [1]\n') > city.toml
  $ gc confine share-login claude >/dev/null
  $ tail -n +4 city.toml
  [providers.claude.confine]
  ports = [1]
  share_login = true
  $ (cat ../ann.toml; printf '[providers.claude]\nconfine = { ports = [1] }\n') > city.toml
  $ gc confine share-login claude >/dev/null
  $ tail -n +4 city.toml
  [providers.claude]
  confine = { ports = [1], share_login = true }
  $ (cat ../ann.toml; printf '[providers.claude]\nargs = []\n') > city.toml
  $ gc confine share-login claude >/dev/null
  $ tail -n +4 city.toml
  [providers.claude]
  args = []
  
  [providers.claude.confine]
  share_login = true

Providers that gc does not know, or whose login it does not know, and sessions are refused.

  $ cp ../ann.toml city.toml
  $ gc confine share-login claud
  gc: there is no provider "claud"; did you mean "claude"?
  [1]
  $ gc confine share-login amp
  gc: gc does not know the login file of amp, only those of claude, codex, gemini, opencode; list it under read in its confine table
  [1]
  $ GC_SESSION_ID=gc-1 GC_TOKEN=gcs_x gc confine share-login claude
  gc: a session may not change what sandboxed sessions read; ask the operator
  [1]
  $ cmp city.toml ../ann.toml
