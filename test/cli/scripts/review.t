A session commits a file whose name, text and subject would control the terminal, closes its bead and stays.

  $ export GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0=a GIT_CONFIG_KEY_1=user.email GIT_CONFIG_VALUE_1=a@b.c
  $ git init -q -b main "$SHOP"
  $ git -C "$SHOP" commit -q --allow-empty -m first
  $ cat > work.sh <<'END'
  > gc hook --claim --json > /dev/null
  > printf 'one\n\033[31mtwo\n' > "$(printf 'a\t\033[2Jb.txt')"
  > git add -A
  > git -c user.name=a -c user.email=a@b.c commit -q -m "$(printf 'say \033[31mred')"
  > bd close $(bd list --status in_progress --json | sed -n 's/.*"id": *"\([^"]*\)".*/\1/p' | head -1)
  > exec sleep 600
  > END
  $ printf '\n[[agent]]\nname = "smith"\ndir = "shop"\nworktree = true\nmax_active_sessions = 1\nstart_command = "sh %s/work.sh"\n' "$PWD" >> city.toml
  $ gc reload
  * town * (glob)
  $ gc sling shop/smith 'Write it'
  sh-1 goes to shop/smith.
  $ await ' ready ' gc review

Its change is listed, shown and compared, and nothing in it reaches the terminal.

  $ gc review
  CHANGE           STATE  BEAD  BRANCH               BASE           SIZE      AGE  TITLE
  * ready  sh-1  gc/sh-1-shop--smith  main@* 1f +2 -0  * Write it (glob)
  $ change=$(gc review list --json | grep -o 'ch-[a-z0-9]*' | head -1)
  $ head=$(gc review list --json | grep -o '"head":"[^"]*"' | cut -d'"' -f4)
  $ gc review | grep -c "^$change  ready"
  1
  $ gc review show $change
  change       * (glob)
  state        ready
  bead         sh-1 Write it
  agent        shop/smith, session to-1
  branch       gc/sh-1-shop--smith against main in shop
  commits      *..* (glob)
  round        1
  size         1f +2 -0
  ready        * ago (glob)
  cost         0 tokens, $0.00, 1 session
  get it back  git -C '*/shop' fetch '*/town/.gc/snapshots/shop.git' refs/gc/changes/*/1:refs/heads/gc/restored/* (glob)
  
  1 file
    +2 -0        a b.txt (added)
  
  1 commit
    * say red (glob)
  
  gc review diff * shows it; then comment, ask, approve or discard it. (glob)
  $ gc review diff $change
  a b.txt (added)
  @@ -0 +1 @@
  +one
  +two

A person comments on it; a place that is no line and a round that no one saw are named.

  $ gc review comment $change "$(printf 'a\t\033[2Jb.txt:2')" --text 'Why red?'
  Comment 1 is drafted; gc review ask * sends your drafts. (glob)
  $ gc review comment $change a --text x
  gc: a is not a file and line, such as src/a.ts:12 or src/a.ts:12-14
  ...
  [2]
  $ gc review diff $change --since-last
  gc: you looked at no earlier round of *; leave --since-last out (glob)
  [1]

It is approved at the commit that was seen, and at no other.

  $ gc review approve $change --head 0000000
  gc: * is at * now, not at 0000000; see what is new with gc review diff * --since-last, then approve that (glob)
  [1]
  $ gc review approve $change --head 0000000 2>&1 | grep -c "$change is at $head now"
  1
  $ test "$(gc review approve $change)" = "$change is approved at $(echo $head | cut -c-12)."
  $ gc review discard ch-nothere
  gc: there is no change ch-nothere; see gc review
  [1]
  $ gc events --format '{{.type}}' | grep '^change'
  change.ready
  change.looked
  change.approved

What it cost is listed with who reviewed it.

  $ gc usage | grep -c "^$change  approved"
  1
  $ gc usage
  PERIOD          IN  OUT  CACHE READ  CACHE WRITE  COST   TIME
  today           0   0    0           0            $0.00  0.0h
  last 24 hours   0   0    0           0            $0.00  0.0h
  last 5 minutes  0   0    0           0            $0.00  0.0h
  
  Prices as of 2026-10-24.
  
  REVIEWER  ASKED  APPROVED  DISCARDED  TIME
  operator  0      1         0          * (glob)
  
  CHANGE           STATE     AGENT       REVIEW       SESSIONS  TOKENS  COST
  * approved  shop/smith  operator * 1         0       $0.00 (glob)
