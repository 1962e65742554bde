A pack is imported from a repository and from a folder, listed, explained and removed.

  $ export GC_URL=http://127.0.0.1:9 GC_HOME="$(cd .. && pwd)/own"
  $ export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
  $ pack() { mkdir -p "$1"; printf '[pack]\nname = "%s"\nschema = 2\n' "$2" > "$1/pack.toml"; }
  $ repository() { git init -q -b main "../$1"; url="file://$(cd .. && pwd)/$1"; }
  $ release() { git -C "../$1" add -A; git -C "../$1" commit -q --allow-empty -m "$2"; git -C "../$1" tag "$2"; }
  $ city() { mkdir "../$1"; cd "../$1"; touch city.toml; pack . town; }
  $ repository several
  $ pack ../several/roles roles
  $ printf '[imports.base]\nsource = "../base"\n' >> ../several/roles/pack.toml
  $ pack ../several/base base
  $ release several v1.2.0
  $ city first
  $ pack packs/extra extra
  $ mkdir -p packs/extra/agents/a
  $ printf 'fallback = true\nstart_command = "x"\n' > packs/extra/agents/a/agent.toml
  $ gc import add "$url//roles" 2>../said
  Added import "roles" from file:*/several//roles (glob)
  $ cat ../said
  fetching file:*/several 1.2.0 (glob)
  $ gc import add ./packs/extra 2>../said
  Added import "extra" from ./packs/extra
  $ cat ../said
  gc: packs/extra/agents/a/agent.toml:1: fallback: has no effect, here or elsewhere; take it out
  $ gc import list
  roles	file:*/several//roles	^1.2	1.2.0 (glob)
  extra	./packs/extra		(path)
  $ gc import list --tree
  roles (1.2.0) - file:*/several//roles (glob)
    base (path) - ../base
  extra (path) - ./packs/extra
  $ gc import why extra
  extra is a direct import
  source: ./packs/extra
  $ gc import why base
  base is imported by roles
  source: ../base
  $ gc import check
  Import state is OK
  $ gc pack list
  roles	file:*/several//roles	1.2.0	cached (glob)
  $ gc import remove extra
  Removed import "extra"
  $ gc import remove extra
  gc: there is no import "extra"; `gc import list` lists valid names
  [1]

The version after gc import add is that of the pack, and without a command that of gc.

  $ repository roles
  $ pack ../roles roles
  $ release roles 1.0.0
  $ release roles 1.1.0
  $ city second
  $ gc import add "$url" --name roles --version 1.0.0
  fetching file:*/roles 1.0.0 (glob)
  Added import "roles" from file:*/roles (glob)
  $ grep version packs.lock
  version = "1.0.0"
  $ gc --city . import add --version=^2.0 "$url" --name next
  gc: file:*/roles has no version that fits 1.0.0, ^2.0, asked for by roles, next; it has 1.0.0, 1.1.0 (glob)
  [1]
  $ gc --city . import add --version=^2.0 "$url" --name next 2>/dev/null
  [1]
  $ test "$(gc --city . --version)" = "$(gc version)"

Scripts read the state of imports as JSON, also of those for a rig.

  $ city third
  $ cat >> pack.toml <<'END'
  > [imports.core]
  > source = "https://github.com/gastownhall/gascity/tree/main/internal/bootstrap/packs/core"
  > version = "sha:f895c0ff47d6ee9334ed282a416387eb5b084d24"
  > [imports.extra]
  > source = "./packs/extra"
  > END
  $ pack packs/extra extra
  $ printf '[[rigs]]\nname = "app"\n[rigs.imports.extra]\nsource = "./packs/extra"\n' > city.toml
  $ gc import status --json
  {"schema_version":"1","ok":true,"root":"*/third","packs_lock_path":"*/third/packs.lock","imports":[{"name":"pack:core","source":"https://github.com/gastownhall/gascity/tree/main/internal/bootstrap/packs/core","constraint":"sha:f895c0ff47d6ee9334ed282a416387eb5b084d24","kind":"remote"},{"name":"pack:extra","source":"./packs/extra","kind":"path","path":"*/third/packs/extra"},{"name":"rig:app:extra","source":"./packs/extra","kind":"path","path":"*/third/packs/extra"}],"locked_packs":[]} (glob)
  $ gc import check
  Import state is OK
  $ gc pack list
  No remote packs configured.

What is missing is named, and installed.

  $ repository grown
  $ pack ../grown p
  $ release grown 1.0.0
  $ city fourth
  $ printf '[imports.p]\nsource = "%s"\nversion = "^1.0"\n' "$url" >> pack.toml
  $ gc import check
  Import state has 1 issue(s):
    [error] missing-lockfile
        issue: packs.lock is missing for declared remote imports
        path: */fourth/packs.lock (glob)
        repair: run "gc import install"
  [1]
  $ gc import install
  fetching file:*/grown 1.0.0 (glob)
  Installed 1 remote import(s)
  $ gc import check
  Import state is OK
  $ gc import list
  p	file:*/grown	^1.0	1.0.0 (glob)
  $ gc import upgrade
  Everything is at its newest version that fits.

An upgrade names the programs that the new version brings.

  $ mkdir -p ../grown/orders ../grown/agents/dev
  $ cat > ../grown/orders/nightly.toml <<'END'
  > [order]
  > trigger = "cron"
  > schedule = "0 3 * * *"
  > exec = "$PACK_DIR/assets/scripts/nightly.sh"
  > END
  $ echo 'pre_start = ["./prepare.sh"]' > ../grown/agents/dev/agent.toml
  $ release grown 1.1.0
  $ gc import upgrade p 2>../said
  Upgraded file:*/grown from 1.0.0 to 1.1.0 (glob)
  $ cat ../said
  fetching file:*/grown 1.1.0 (glob)
  It brings programs that run automatically:
    order nightly (p), cron 0 3 * * *: $PACK_DIR/assets/scripts/nightly.sh
    hook dev pre_start (p), before a session starts: ./prepare.sh

A pack that many import is shown once in a tree.

  $ city fifth
  $ level() { printf '[imports.%s]\nsource = "%s"\n' "$1" "$2"; }
  $ for n in $(seq 0 23); do pack packs/p$n p$n; done
  $ for n in $(seq 0 22); do (level a ../p$((n + 1)); level b ../p$((n + 1))) >> packs/p$n/pack.toml; done
  $ level p ./packs/p0 >> pack.toml
  $ gc import list --tree | grep -c '(as above)$'
  23

The words of packs are shown as text.

  $ pack ../painted '\u001b]0;owned\u0007'
  $ printf '[global]\nsession_live = ["\\u001b]0;owned\\u0007"]\n[[agent]]\nname = "a"\nstart_command = "x"\n' >> ../painted/pack.toml
  $ grep u001b ../painted/pack.toml
  name = "\u001b]0;owned\u0007"
  session_live = ["\u001b]0;owned\u0007"]
  $ pack ../elsewhere e
  $ level q ../painted >> ../elsewhere/pack.toml
  $ gc import add ../elsewhere
  Added import "elsewhere" from */elsewhere (glob)
  It brings programs that run automatically:
    hook session_live (\u001b]0;owned\u0007), when any session starts: \u001b]0;owned\u0007

Nothing is removed that another city may use.

  $ gc import prune
  Nothing to prune
  $ gc import prune --apply
  gc: other cities may use what lies in */own/cache: start the supervisor with `gc serve`, so that it names them (glob)
  [1]

What would not compose is kept out of the files, whatever else is wrong in them.

  $ city sixth
  $ printf '[[agent]]\nname = "a b"\n' > city.toml
  $ pack ../other e
  $ cp pack.toml ../before
  $ gc import add ../other --name 'second one'
  gc: "second one" cannot name an import: use letters, digits, "-" and "_"; give another name
  [1]
  $ cmp pack.toml ../before
  $ gc import add ../other --name second
  Added import "second" from */other (glob)

A credential is kept as the place of its secret, in a file that only its owner reads.

  $ city seventh
  $ gc import credential add example.com
  gc: say where the secret is by exactly one of --helper, --token-file, --token-env and --ssh-key-file
  [1]
  $ test -e .gc/credentials.toml
  [1]
  $ gc import credential add example.com --token-env PACKS --global
  Added credential for example.com
  $ ls -l "$GC_HOME/credentials.toml" | cut -c-10
  -rw-------
  $ gc import credential list --global
  example.com	token_env	PACKS
  $ gc import credential add https://example.com/ --helper 'pass show x' --username me
  Added credential for example.com
  $ ls -l .gc/credentials.toml | cut -c-10
  -rw-------
  $ gc import credential list --json
  {"schema_version":"1","ok":true,"credentials":[{"match":"example.com","username":"me","helper":"pass show x"}],"items":[{"match":"example.com","username":"me","helper":"pass show x"}],"total":1}
  $ gc import credential remove example.com
  Removed credential for example.com
  $ gc import credential remove example.com
  gc: there is no credential for example.com in */seventh/.gc/credentials.toml; `gc import credential list` lists valid names (glob)
  [1]

The file of a secret must be there, be read by its owner only and have something in it; its path is kept in full.

  $ rm .gc/credentials.toml
  $ gc import credential add example.com --token-file key
  gc: there is no file */seventh/key; write the secret into it, for only you to read (glob)
  [1]
  $ gc import credential add example.com --ssh-key-file key
  gc: there is no file */seventh/key; write the secret into it, for only you to read (glob)
  [1]
  $ gc import credential add example.com --token-file .
  gc: there is no file */seventh; write the secret into it, for only you to read (glob)
  [1]
  $ echo very-secret > key
  $ chmod 644 key
  $ gc import credential add example.com --token-file key
  gc: others can read */seventh/key; run `chmod 600 */seventh/key` (glob)
  [1]
  $ echo > none
  $ chmod 600 none
  $ gc import credential add example.com --token-file none
  gc: */seventh/none is empty; write the secret into it (glob)
  [1]
  $ test -e .gc/credentials.toml
  [1]
  $ chmod 600 key
  $ gc import credential add example.com --token-file key
  Added credential for example.com
  $ gc import credential list
  example.com	token_file	*/seventh/key (glob)

Imports and credentials are for a person, not for a program that gc started.

  $ GC_TOKEN=gcs_x GC_SESSION_ID=s gc import credential add example.com --token-env X
  gc: credentials are for a person to give, not for a program that gc started
  [1]
  $ GC_TOKEN=gcs_x GC_SESSION_ID=s gc import upgrade
  gc: `gc import upgrade` is for a person, not for a program that gc started; ask one
  [1]

A password in the address of a source is shown to a person, and struck out for a session.

  $ city eighth
  $ level tools 'https://ann:planted-key-1234@git.invalid/packs.git//tools' >> pack.toml
  $ show() { for words in 'pack list' 'import list' 'import status' 'import why tools'; do gc $words "$@"; done; }
  $ show
  tools	https://ann:planted-key-1234@git.invalid/packs.git//tools	(unlocked)	missing
  tools	https://ann:planted-key-1234@git.invalid/packs.git//tools		(unlocked)
  pack:tools	https://ann:planted-key-1234@git.invalid/packs.git//tools	(unlocked)	missing: import "tools" (https://***@git.invalid/packs.git//tools) is not locked; run `gc import install`
  tools is a direct import
  source: https://ann:planted-key-1234@git.invalid/packs.git//tools
  $ show --json
  {"schema_version":"1","ok":true,"packs":[{"name":"pack:tools","source":"https://ann:planted-key-1234@git.invalid/packs.git//tools","kind":"remote","cached":false}],"items":[{"name":"pack:tools","source":"https://ann:planted-key-1234@git.invalid/packs.git//tools","kind":"remote","cached":false}],"total":1}
  {"schema_version":"1","ok":true,"imports":[{"name":"tools","source":"https://ann:planted-key-1234@git.invalid/packs.git//tools","kind":"remote"}],"items":[{"name":"tools","source":"https://ann:planted-key-1234@git.invalid/packs.git//tools","kind":"remote"}],"total":1}
  {"schema_version":"1","ok":true,"root":"*/eighth","packs_lock_path":"*/eighth/packs.lock","imports":[{"name":"pack:tools","source":"https://ann:planted-key-1234@git.invalid/packs.git//tools","kind":"remote"}],"locked_packs":[]} (glob)
  {"schema_version":"1","ok":true,"name":"tools","ways":[[{"name":"tools","source":"https://ann:planted-key-1234@git.invalid/packs.git//tools"}]]}
  $ gc import list --tree
  tools (unlocked) - https://ann:planted-key-1234@git.invalid/packs.git//tools
  $ export GC_TOKEN=gcs_x GC_SESSION_ID=to-1
  $ show
  tools	https://***@git.invalid/packs.git//tools	(unlocked)	missing
  tools	https://***@git.invalid/packs.git//tools		(unlocked)
  pack:tools	https://***@git.invalid/packs.git//tools	(unlocked)	missing: import "tools" (https://***@git.invalid/packs.git//tools) is not locked; run `gc import install`
  tools is a direct import
  source: https://***@git.invalid/packs.git//tools
  $ show --json
  {"schema_version":"1","ok":true,"packs":[{"name":"pack:tools","source":"https://***@git.invalid/packs.git//tools","kind":"remote","cached":false}],"items":[{"name":"pack:tools","source":"https://***@git.invalid/packs.git//tools","kind":"remote","cached":false}],"total":1}
  {"schema_version":"1","ok":true,"imports":[{"name":"tools","source":"https://***@git.invalid/packs.git//tools","kind":"remote"}],"items":[{"name":"tools","source":"https://***@git.invalid/packs.git//tools","kind":"remote"}],"total":1}
  {"schema_version":"1","ok":true,"root":"*/eighth","packs_lock_path":"*/eighth/packs.lock","imports":[{"name":"pack:tools","source":"https://***@git.invalid/packs.git//tools","kind":"remote"}],"locked_packs":[]} (glob)
  {"schema_version":"1","ok":true,"name":"tools","ways":[[{"name":"tools","source":"https://***@git.invalid/packs.git//tools"}]]}
  $ gc import list --tree
  tools (unlocked) - https://***@git.invalid/packs.git//tools
