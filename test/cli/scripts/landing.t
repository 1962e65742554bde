Branches are submitted, shown in the queue, held, cancelled and released, and then land.

  $ export GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0=a GIT_CONFIG_KEY_1=user.email GIT_CONFIG_VALUE_1=a@b.c
  $ commit() { touch "$SHOP/$1"; git -C "$SHOP" add -A; git -C "$SHOP" commit -q -m "$1"; }
  $ branch() { git -C "$SHOP" checkout -q -b "$1" main; commit "$1"; git -C "$SHOP" checkout -q main; }
  $ git init -q -b main "$SHOP"
  $ commit base
  $ git init -q --bare ../remote.git
  $ git -C "$SHOP" remote add origin "$PWD/../remote.git"
  $ git -C "$SHOP" push -q origin main
  $ gc rig land shop --mode push --check 'test -e a'
  rig        shop
  mode       push
  target     the default branch
  remote     origin
  check      test -e a, at most 20m
  early      branches are checked before approval
  batch      8, 1 in parallel, squash
  conflicts  3 tries, 30m each
  protected  .ci/**, .circleci/**, .forgejo/**, .gitea/**, .github/**, .gitlab-ci.yml, .woodpecker/**, .gitattributes, **/.gitattributes, .gitmodules, **/.npmrc, **/.yarnrc*, **/pip.conf
  $ gc land pause shop
  Rig shop lands on main* (mode push). (glob)
  shop: paused by operator since * (glob)
  $ branch a
  $ branch b
  $ a=$(gc land submit --rig shop --branch a --json | grep -o 'ld-[a-z0-9]*')
  $ b=$(gc land submit --rig shop --branch b --json | grep -o 'ld-[a-z0-9]*')
  $ gc land hold $a --reason 'not yet'
  *: held (a at *, to main, try 1) (glob)
    not yet
  $ gc land status shop
  Rig shop lands on main* (mode push). (glob)
  shop: paused by operator since * (glob)
  LANDING          STATE      BRANCH  AGE  REASON
  * submitted  b       * (glob)
  * held       a       * not yet (glob)
  $ gc land cancel $b
  *: cancelled (b at *, to main, try 1) (glob)
    cancelled
  $ gc land release $b
  gc: * is cancelled; release is for one that is held (glob)
  [1]
  $ gc land release $a
  *: submitted (a at *, to main, try 1) (glob)
  $ await ': queued' gc land show $a
  $ gc land resume shop | head -1
  Rig shop lands on main* (mode push). (glob)
  $ await 'landed as' gc land show $a
  $ test "$(gc land show $a | grep -o 'landed as [0-9a-f]*')" = "landed as $(git -C ../remote.git rev-parse main)"
  $ gc land show $a
  *: landed (a at *, to main, try 1) (glob)
    landed as * (glob)
  $ gc land log $a
  *: landed (a at *, to main, try 1) (glob)
    landed as * (glob)
  lb-*: 1 of 1 on *, landed (glob)
    * green (glob)
  $ gc land status shop --json=queue
  {"queue":[]}
  $ gc land status shop --json | grep -o '"queue":[^]]*]'
  "queue":[]
  $ gc events --format '{{.type}}' | grep land
  land.standing
  land.submitted
  land.submitted
  land.held
  land.cancelled
  land.submitted
  land.queued
  land.running
  land.batched
  land.checking
  land.pushing
  land.landed

A branch that fails is given back, retried, and given up.

  $ git -C "$SHOP" pull -q origin main
  $ git -C "$SHOP" checkout -q -b breaks
  $ git -C "$SHOP" rm -q a
  $ git -C "$SHOP" commit -q -m breaks
  $ git -C "$SHOP" checkout -q main
  $ c=$(gc land submit --rig shop --branch breaks --json | grep -o 'ld-[a-z0-9]*')
  $ await "$c: red" gc land show $c
  $ gc land retry $c
  *: submitted (breaks at *, to main, try 1) (glob)
  $ await "$c: red" gc land show $c
  $ gc land give-up $c --reason wrong
  *: given up (breaks at *, to main, try 1) (glob)
    wrong
  $ gc land show $c
  *: given up (breaks at *, to main, try 1) (glob)
    wrong
  $ git -C ../remote.git log --format=%s main
  a
  base

What is missing is named.

  $ gc land submit --rig shop
  gc: name what is submitted with --session or --branch
  ...
  [2]
  $ gc land show ld-none
  gc: there is no landing ld-none; see gc land status
  [1]
