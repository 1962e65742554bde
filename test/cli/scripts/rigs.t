A rig is shown to land nothing, and then what was changed.

  $ gc rig land shop
  rig        shop
  mode       off, since nothing is declared
  target     the default branch
  remote     origin
  check      nothing is checked
  batch      8, 1 in parallel, squash
  conflicts  3 tries, 30m each
  protected  .ci/**, .circleci/**, .forgejo/**, .gitea/**, .github/**, .gitlab-ci.yml, .woodpecker/**, .gitattributes, **/.gitattributes, .gitmodules, **/.npmrc, **/.yarnrc*, **/pip.conf
  $ gc rig land shop --mode pr --check "sh -c 'npm ci && npm test'" --hold-large 2000 --draft --label gc,bot --auto --auto-max-lines 200 --forge gitea --forge-url https://git.example.com --forge-repository acme/shop
  rig        shop
  mode       pr
  target     the default branch
  remote     origin
  check      sh -c 'npm ci && npm test', at most 20m
  early      branches are checked before approval
  batch      8, 1 in parallel, squash
  conflicts  3 tries, 30m each
  protected  .ci/**, .circleci/**, .forgejo/**, .gitea/**, .github/**, .gitlab-ci.yml, .woodpecker/**, .gitattributes, **/.gitattributes, .gitmodules, **/.npmrc, **/.yarnrc*, **/pip.conf
  held       large:2000
  automatic  green, at most 200 lines
  forge      gitea, https://git.example.com/acme/shop
  $ grep -A9 'rigs.land' city.toml
  [rigs.land]
  mode = "pr"
  check = ["sh", "-c", "npm ci && npm test"]
  hold = ["large:2000"]
  pr = { labels = ["gc", "bot"], draft = true }
  auto = { check = "green", max_lines = 200 }
  forge = { kind = "gitea", url = "https://git.example.com", repository = "acme/shop" }
  $ gc rig land shop --no-draft --auto-paths 'docs/**' --unset hold,forge
  rig        shop
  mode       pr
  target     the default branch
  remote     origin
  check      sh -c 'npm ci && npm test', at most 20m
  early      branches are checked before approval
  batch      8, 1 in parallel, squash
  conflicts  3 tries, 30m each
  protected  .ci/**, .circleci/**, .forgejo/**, .gitea/**, .github/**, .gitlab-ci.yml, .woodpecker/**, .gitattributes, **/.gitattributes, .gitmodules, **/.npmrc, **/.yarnrc*, **/pip.conf
  automatic  green, at most 200 lines
  $ gc rig land shop --json
  {"rig":"shop","declared":true,"mode":"pr","remote":"origin","batch":8,"strategy":"squash","parallel":1,"tries":3,"sign":false,"check":["sh","-c","npm ci && npm test"],"check_timeout":"20m","turn_timeout":"30m","confirm_red":true,"check_early":true,"delete_branch":false,"protected_paths":[".ci/**",".circleci/**",".forgejo/**",".gitea/**",".github/**",".gitlab-ci.yml",".woodpecker/**",".gitattributes","**/.gitattributes",".gitmodules","**/.npmrc","**/.yarnrc*","**/pip.conf"],"generated":[],"hold":[],"pr":{"labels":["gc","bot"],"draft":false},"auto":{"check":"green","max_lines":200,"paths":["docs/**"]}}
  $ grep forge city.toml
  [1]
  $ gc events --type config.changed --format '{{.type}}' | tail -1
  config.changed

What the configuration would reject is rejected, and the file stays.

  $ cp city.toml ../before
  $ gc rig land shop --unset mode
  gc: "mode" is not a key of [rigs.land]; these can be unset: target, remote, check, check_timeout, batch, confirm_red, check_early, strategy, parallel, generated, protected_paths, hold, tries, turn_timeout, delete_branch, sign, pr, auto, forge
  ...
  [2]
  $ gc rig land shop --forge github
  gc: a forge needs --forge, --forge-url and --forge-repository
  ...
  [2]
  $ gc rig land shop --batch 65
  gc: city.toml:25: [rigs.land] batch: must be 64 or less, not 65
  [1]
  $ gc rig land shop --generated 'npm i'
  gc: --generated must look like "package-lock.json=npm install --package-lock-only"
  ...
  [2]
  $ cmp city.toml ../before

A rig is added without questions where no person is asked, and says how it lands by options.

  $ mkdir -p ../quiet/.git ../forge/.git
  $ gc rig add ../quiet
  Rig quiet was added to town.
  $ gc rig add ../forge --land local --land-check 'make test'
  Rig forge was added to town.
  Its branches land by local; `gc rig land forge` shows and changes how.
  $ gc rig land forge --json=mode,check
  {"mode":"local","check":["make","test"]}

Programs trust a rig as its flag says, and as it is changed later.

  $ mkdir ../flag ../later
  $ gc rig add ../flag --trust
  Rig flag was added to town, and programs trust it.
  $ gc rig add ../later --no-trust
  Rig later was added to town.
  $ gc rig trust later
  Programs trust rig later.
  $ gc rig trust later --revoke
  Programs ask about rig later.
  $ gc rig trust nowhere
  gc: rig nowhere not found; `gc rig list` lists valid names
  [1]
  $ gc events --format '{{.type}} {{.subject}}' | grep rig.
  rig.trusted flag
  rig.trusted later
  rig.distrusted later

A token of a forge is kept in a file of its owner, and never printed.

  $ echo s3cret-of-a-forge | gc rig token add --host https://Git.Example.com:3000/
  The token for git.example.com:3000 is kept in */home/forges.toml, which only you can read. (glob)
  $ ls -l "$GC_HOME/forges.toml" | cut -c-10
  -rw-------
  $ cat "$GC_HOME/forges.toml"
  [[token]]
  host = "git.example.com:3000"
  token = "s3cret-of-a-forge"
  $ echo s3cret-of-a-forge1 | gc rig token add --host github.com
  The token for github.com is kept in */home/forges.toml, which only you can read. (glob)
  $ gc rig token list
  git.example.com:3000
  github.com
  $ gc rig token remove --host github.com
  The token for github.com was removed; revoke it at the forge as well.

No token is taken from nothing, a sentence or the token of a session.

  $ gc rig token add --host a.b
  gc: give the token on standard input: `gc rig token add --host <host> < file`
  ...
  [2]
  $ echo 'not a token' | gc rig token add --host a.b
  gc: the token must have 8 to 1000 visible characters and no spaces
  [1]
  $ echo s3cret-of-a-forge | GC_TOKEN=gcs_x gc rig token add --host a.b
  gc: tokens are for a person to give, not for a program that gc started
  [1]

A file that others can read is not used.

  $ chmod 644 "$GC_HOME/forges.toml"
  $ gc rig token list
  gc: */home/forges.toml can be read by others (mode 0644); run: chmod 600 */home/forges.toml (glob)
  [1]
