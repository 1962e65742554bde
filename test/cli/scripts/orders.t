Orders are listed with why each is due or not, and broken files are named apart.

  $ mkdir orders
  $ cat > orders/breaks.toml <<'END'
  > [order]
  > trigger = "manual"
  > exec = "echo out; sleep 0.2; echo bad >&2; exit 3"
  > END
  $ cat > orders/hooked.toml <<'END'
  > [order]
  > trigger = "webhook"
  > exec = "echo \"ref=$GC_WEBHOOK_ARG_REF\""
  > [order.params.ref]
  > required = true
  > END
  $ cat > orders/later.toml <<'END'
  > [order]
  > trigger = "cron"
  > schedule = "0 0 29 2 *"
  > tz = "UTC"
  > exec = "true"
  > END
  $ cat > orders/loud.toml <<'END'
  > [order]
  > description = "prints"
  > trigger = "manual"
  > exec = "printf '\\033[31mred\\033[0m\nno line end'"
  > END
  $ cat > orders/off.toml <<'END'
  > [order]
  > trigger = "manual"
  > exec = "true"
  > enabled = false
  > description = "not now"
  > END
  $ cat > orders/slow.toml <<'END'
  > [order]
  > trigger = "manual"
  > exec = "echo begun; cat go; echo over"
  > END
  $ cat > orders/bad.toml <<'END'
  > [order]
  > trigger = "cron"
  > schedule = "*/0 * * * *"
  > exec = "true"
  > END
  $ gc reload
  gc: orders/bad.toml:3: [order] schedule: "*/0 * * * *" is not a cron schedule: illegal stepping: 0
  * town * (glob)
  $ gc order list
  gc order list: orders/bad.toml:3: [order] schedule: "*/0 * * * *" is not a cron schedule: illegal stepping: 0
  NAME    TYPE  TRIGGER  INTERVAL/SCHED  TARGET  WHY
  breaks  exec  manual   -               -       manual trigger — use gc order run
  hooked  exec  webhook  -               -       webhook trigger — dispatched by the webhook receiver
  later   exec  cron     0 0 29 2 *      -       cron: schedule not matched
  loud    exec  manual   -               -       manual trigger — use gc order run
  slow    exec  manual   -               -       manual trigger — use gc order run
  $ gc order list --all 2>/dev/null | grep off
  off     -     -        -               -       disabled in its file: not now
  $ gc order list --json=name,scoped_name,type,description,trigger,enabled,exec,source,formula_layer 2>/dev/null | tr '}' '\n'
  [{"name":"breaks","scoped_name":"breaks","type":"exec","description":null,"trigger":"manual","enabled":true,"exec":"echo out; sleep 0.2; echo bad >&2; exit 3","source":"*/town/orders/breaks.toml","formula_layer":"*/town/formulas" (glob)
  ,{"name":"hooked","scoped_name":"hooked","type":"exec","description":null,"trigger":"webhook","enabled":true,"exec":"echo \"ref=$GC_WEBHOOK_ARG_REF\"","source":"*/town/orders/hooked.toml","formula_layer":"*/town/formulas" (glob)
  ,{"name":"later","scoped_name":"later","type":"exec","description":null,"trigger":"cron","enabled":true,"exec":"true","source":"*/town/orders/later.toml","formula_layer":"*/town/formulas" (glob)
  ,{"name":"loud","scoped_name":"loud","type":"exec","description":"prints","trigger":"manual","enabled":true,"exec":"printf '\\033[31mred\\033[0m\nno line end'","source":"*/town/orders/loud.toml","formula_layer":"*/town/formulas" (glob)
  ,{"name":"slow","scoped_name":"slow","type":"exec","description":null,"trigger":"manual","enabled":true,"exec":"echo begun; cat go; echo over","source":"*/town/orders/slow.toml","formula_layer":"*/town/formulas" (glob)
  ]
  $ gc order list --json 2>/dev/null | grep -oE '^.*"orders"|"total".*'
  {"city_name":"town","city_path":"*/town","ok":true,"orders" (glob)
  "total":5}

One is run now; what it prints is printed without its escapes, and the run is listed and shown.

  $ gc order run loud
  red
  no line end
  Order "loud" executed (exec)
  $ gc order history loud --json=order,exit_code,has_output
  [{"order":"loud","exit_code":"0","has_output":true}]
  $ gc order history loud --json | grep -o '"summary":{[^}]*}'
  "summary":{"total":1}
  $ gc order history
  ORDER  BEAD  EXECUTED              OUTCOME  TOOK
  loud   to-1  * success  * (glob)
  $ gc order show to-1
  run        to-1
  order      loud
  began      * (glob)
  outcome    success
  exit code  0
  took       * (glob)
  labels     order-run:loud, order-tracking, exec
  
  red
  no line end

A failed run fails the command, after all that it printed.

  $ gc order run breaks
  out
  bad
  gc: order breaks failed after *: exit status 3; `gc order show to-2` shows the run (glob)
  [1]
  $ gc order run breaks 2>/dev/null
  out
  bad
  [1]
  $ gc order run breaks --json
  {"schema_version":"1","ok":false,"order":"breaks","scoped_name":"breaks","action":"exec","tracking_id":"to-4","duration_ms":"*","exit_code":"3","error":"exit status 3; output: out\nbad","output":"out\nbad\n"} (glob)
  [1]
  $ gc order show to-2
  run        to-2
  order      breaks
  began      * (glob)
  outcome    failed
  exit code  3
  took       * (glob)
  labels     order-run:breaks, order-tracking, exec-failed
  
  out
  
  bad

Arguments are given to a run, and missing ones are named.

  $ gc order run hooked
  gc: rejected: order "hooked": missing required param(s): ref; give them in vars, or as --var ref=<value>
  [1]
  $ gc order run hooked --var "ref=a 'b'; \$(exit 9)"
  ref=a 'b'; $(exit 9)
  Order "hooked" executed (exec)

A command that runs is followed, as often as it is asked.

  $ mkfifo go
  $ gc order run slow --detach
  Order slow runs; follow it with: gc order show to-6 --follow
  $ gc order show slow --follow > ../one 2>&1 &
  $ gc order show slow --follow > ../another 2>&1 &
  $ await begun cat ../one
  $ await begun cat ../another
  $ : > go
  $ wait
  $ cat ../one ../another
  begun
  over
  order slow succeeded after * (glob)
  begun
  over
  order slow succeeded after * (glob)
  $ gc order show slow --follow
  gc: order slow does not run now; `gc order run slow` runs it
  [1]

What is due is checked, with status 1 when nothing is.

  $ gc order check
  NAME    TRIGGER  DUE  REASON
  breaks  manual   no   manual trigger — use gc order run
  hooked  webhook  no   webhook trigger — dispatched by the webhook receiver
  later   cron     no   cron: schedule not matched
  loud    manual   no   manual trigger — use gc order run
  slow    manual   no   manual trigger — use gc order run
  [1]
  $ gc order check --json | grep -o '^.*"orders"'
  {"schema_version":"1","ok":true,"any_due":false,"orders_total":5,"due_total":0,"orders"
  $ gc order check later --json
  {"schema_version":"1","ok":true,"any_due":false,"orders_total":1,"due_total":0,"orders":[{"name":"later","scoped_name":"later","trigger":"cron","due":false,"reason":"cron: schedule not matched"}]}
  [1]
  $ gc order disable later
  Order later is disabled.
  $ gc order check later
  gc: order later is disabled and never due; `gc order enable later` enables it
  [1]
  $ gc order enable later
  Order later is enabled.

Orders are enabled and disabled.

  $ gc order disable loud
  Order loud is disabled.
  $ tail -2 city.toml
  name = "loud"
  enabled = false
  $ gc order run loud
  gc: order not found: loud: it is disabled; gc order enable loud
  [1]
  $ gc order show loud
  order        loud
  description  prints
  exec         printf '\033[31mred\033[0m no line end'
  trigger      manual
  timeout      * (glob)
  enabled      no, by an override
  source       */town/orders/loud.toml (glob)
  $ gc order enable loud
  Order loud is enabled.
  $ gc events --type config.changed --format '{{.type}} {{.actor}}' | tail -1
  config.changed operator

What to do about an order that is not there is said.

  $ gc order show nope
  gc: there is no order and no run "nope"; `gc order list --all` lists valid names
  [1]
  $ gc order run nope
  gc: order not found: nope; `gc order list --all` lists valid names
  [1]
  $ gc order check nope
  gc: order not found: nope; `gc order list --all` lists valid names
  [1]
  $ gc order disable nope
  gc: order not found: nope; `gc order list --all` lists valid names
  [1]
  $ gc order history nope
  gc: order not found: nope; `gc order list --all` lists valid names
  [1]
  $ gc order history laud
  gc: order not found: laud; did you mean loud?
  [1]
  $ gc order run loud --rig shed
  gc: town has no rig shed; `gc rig list` lists its rigs; did you mean shop?
  [1]
  $ gc order approve
  gc: look at them with `gc order list`, then approve them with `gc order approve --all`
  ...
  [2]
  $ gc order approve --all
  No order waited; orders of town start automatically.
  $ gc order sweep-tracking
  closed 0 stale order-tracking bead(s), deleted 0 closed order-tracking bead(s)
  $ gc order sweep-tracking --quiet

An override of an order that is not there ends commands with an error, and nothing is done.

  $ cp city.toml ../city.toml
  $ printf '\n[[orders.overrides]]\nname = "lout"\nenabled = false\n' >> city.toml
  $ gc reload
  gc: orders/bad.toml:3: [order] schedule: "*/0 * * * *" is not a cron schedule: illegal stepping: 0
  gc: city.toml:29: [[orders.overrides]] name: changes nothing: there is no order "lout" in the city; correct its name or rig, or delete it
  * town * (glob)
  $ gc order show loud
  gc: city.toml:29: [[orders.overrides]] name: changes nothing: there is no order "lout" in the city; correct its name or rig, or delete it
  [1]
  $ gc order run loud
  gc: city.toml:29: [[orders.overrides]] name: changes nothing: there is no order "lout" in the city; correct its name or rig, or delete it
  [1]
  $ gc order history loud
  gc: city.toml:29: [[orders.overrides]] name: changes nothing: there is no order "lout" in the city; correct its name or rig, or delete it
  [1]
  $ gc order enable loud
  gc: city.toml:29: [[orders.overrides]] name: changes nothing: there is no order "lout" in the city; correct its name or rig, or delete it
  [1]
  $ gc order disable loud
  gc: city.toml:29: [[orders.overrides]] name: changes nothing: there is no order "lout" in the city; correct its name or rig, or delete it
  [1]
  $ gc order check
  gc: city.toml:29: [[orders.overrides]] name: changes nothing: there is no order "lout" in the city; correct its name or rig, or delete it
  [1]
  $ gc order list
  gc order list: orders/bad.toml:3: [order] schedule: "*/0 * * * *" is not a cron schedule: illegal stepping: 0
  gc order list: city.toml:29: [[orders.overrides]] name: changes nothing: there is no order "lout" in the city; correct its name or rig, or delete it
  NAME    TYPE  TRIGGER  INTERVAL/SCHED  TARGET  WHY
  breaks  exec  manual   -               -       manual trigger — use gc order run
  hooked  exec  webhook  -               -       webhook trigger — dispatched by the webhook receiver
  later   exec  cron     0 0 29 2 *      -       cron: schedule not matched
  loud    exec  manual   -               -       manual trigger — use gc order run
  slow    exec  manual   -               -       manual trigger — use gc order run
  [1]
  $ gc order list --json 2>/dev/null | grep -o '"ok":[a-z]*'
  "ok":false
  $ gc order sweep-tracking --quiet
  $ cp ../city.toml city.toml
  $ gc reload
  gc: orders/bad.toml:3: [order] schedule: "*/0 * * * *" is not a cron schedule: illegal stepping: 0
  * town * (glob)
  $ gc order history
  ORDER   BEAD  EXECUTED              OUTCOME  TOOK  ERROR
  slow    to-6  * success  * (glob)
  hooked  to-5  * success  * (glob)
  breaks  to-4  * failed   *  exit status 3; output: out bad (glob)
  breaks  to-3  * failed   *  exit status 3; output: out bad (glob)
  breaks  to-2  * failed   *  exit status 3; output: out bad (glob)
  loud    to-1  * success  * (glob)
  $ gc order run loud
  red
  no line end
  Order "loud" executed (exec)
