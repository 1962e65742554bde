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
  $ gc import add "$url//roles"
  $ gc import add ./packs/extra
  $ gc import list
  $ gc import list --tree
  $ gc import why extra
  $ gc import why base
  $ gc import check
  $ gc pack list
  $ gc import remove extra
  $ gc import remove extra

The version that is asked for is taken, whatever the version of gc.

  $ repository roles
  $ pack ../roles roles
  $ release roles 1.0.0
  $ release roles 1.1.0
  $ city second
  $ gc import add "$url" --name roles --version 1.0.0
  $ grep version packs.lock
  $ gc --city . import add --version=^2.0 "$url" --name next
  $ gc --city . import add --version=^2.0 "$url" --name next 2>/dev/null
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
  $ gc import check
  $ gc pack list

What is missing is named, and installed.

  $ repository grown
  $ pack ../grown p
  $ release grown 1.0.0
  $ city fourth
  $ printf '[imports.p]\nsource = "%s"\nversion = "^1.0"\n' "$url" >> pack.toml
  $ gc import check
  $ gc import install
  $ gc import check
  $ gc import list
  $ gc import upgrade

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
  $ gc import upgrade p

A pack that many import is shown once.

  $ city fifth
  $ level() { printf '[imports.%s]\nsource = "%s"\n' "$1" "$2"; }
  $ for n in $(seq 0 23); do pack packs/p$n p$n; done
  $ for n in $(seq 0 22); do (level a ../p$((n + 1)); level b ../p$((n + 1))) >> packs/p$n/pack.toml; done
  $ level p ./packs/p0 >> pack.toml
  $ gc import list --tree | grep -c '(as above)$'

The words of packs are shown as text.

  $ pack packs/q '\u001b]0;owned\u0007'
  $ cat packs/q/pack.toml
  $ printf '[global]\nsession_live = ["\\u001b]0;owned\\u0007"]\n' >> packs/q/pack.toml
  $ level q ./packs/q >> pack.toml
  $ pack ../elsewhere e
  $ level q "$PWD/packs/q" >> ../elsewhere/pack.toml
  $ gc import add ../elsewhere

Nothing is removed that another city may use.

  $ gc import prune
  $ gc import prune --apply

What would not compose is kept out of the files.

  $ city sixth
  $ printf '[[agent]]\nname = "a b"\n' > city.toml
  $ pack ../other e
  $ cp pack.toml ../before
  $ gc import add ../other --name 'second one'
  $ cmp pack.toml ../before
  $ gc import add ../other --name second

A credential is kept as the place of its secret, in a file that only its owner reads.

  $ city seventh
  $ gc import credential add example.com
  $ ls .gc/credentials.toml
  $ gc import credential add example.com --token-env PACKS --global
  $ ls -l "$GC_HOME/credentials.toml" | cut -c-10
  $ gc import credential list --global
  $ gc import credential add https://example.com/ --helper 'pass show x' --username me
  $ ls -l .gc/credentials.toml | cut -c-10
  $ gc import credential list --json
  $ gc import credential remove example.com
  $ gc import credential remove example.com

The file of a secret is there, only its owner reads it and there is something in it; it is named from any folder.

  $ rm .gc/credentials.toml
  $ gc import credential add example.com --token-file key
  $ gc import credential add example.com --ssh-key-file key
  $ gc import credential add example.com --token-file .
  $ echo very-secret > key
  $ chmod 644 key
  $ gc import credential add example.com --token-file key
  $ echo > none
  $ chmod 600 none
  $ gc import credential add example.com --token-file none
  $ ls .gc/credentials.toml
  $ chmod 600 key
  $ gc import credential add example.com --token-file key
  $ gc import credential list

Imports and credentials are for a person, not for a program that gc started.

  $ GC_TOKEN=gcs_x GC_SESSION_ID=s gc import credential add example.com --token-env X
  $ GC_TOKEN=gcs_x GC_SESSION_ID=s gc import upgrade

A password in the address of a source is shown to a person, and struck out for a session.

  $ city eighth
  $ level tools 'https://ann:planted-key-1234@git.invalid/packs.git//tools' >> pack.toml
  $ gc pack list
  $ gc import list
  $ gc import list --tree
  $ gc import list --json
  $ gc import status
  $ gc import status --json
  $ gc import why tools
  $ gc import why tools --json
  $ gc pack list --json
  $ export GC_TOKEN=gcs_x GC_SESSION_ID=to-1
  $ gc pack list
  $ gc import list
  $ gc import list --tree
  $ gc import list --json
  $ gc import status
  $ gc import status --json
  $ gc import why tools
  $ gc import why tools --json
  $ gc pack list --json
