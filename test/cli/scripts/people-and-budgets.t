People are added, listed and removed, and gc uses the token of one.

  $ gc people list
  No one else has a token; gc people add creates one.
  $ gc people add ann --grant answer,land > ../said
  $ head -1 ../said
  ann reads everything, answers questions, lands changes. The token is shown this once:
  $ token=$(tail -1 ../said)
  $ echo $token | sed 's/[0-9a-f]\{64\}/<64 digits>/'
  gcp_<64 digits>
  $ gc people list
  PERSON  GRANTS        ADDED
  ann     answer, land  * (glob)
  $ GC_TOKEN=$token gc city list
  CITY  STATE    FOLDER
  town  running  */town (glob)
  $ GC_TOKEN=$token gc people list
  gc: ann may not do "List people with a token": a person reads, answers, reviews and lands; for anything else send the token in $GC_HOME/token
  [1]
  $ GC_TOKEN=$token gc bead create x
  gc: ann may not do "Create a bead": a person reads, answers, reviews and lands; for anything else send the token in $GC_HOME/token
  [1]
  $ gc people remove ann
  The token of ann is revoked.
  $ GC_TOKEN=$token gc city list
  gc: invalid or expired token; a session gets a new one when it restarts, a person from the operator
  [1]

A token is in no file of the supervisor, and in none of its reports.

  $ grep -l -a -e "$token" -r "$GC_HOME" ../serve.log
  [1]

What is wrong with a name or a grant is named.

  $ gc people add bea --grant answer,merge
  gc: there is no grant merge; give some of answer, review, land
  [1]
  $ gc people add a/b
  gc: validation failed (body.name: must match ^[A-Za-z][A-Za-z0-9._-]{0,63}$)
  [1]
  $ gc people add operator
  gc: operator is recorded for others already; choose another name
  [1]
  $ gc people remove nobody
  gc: there is no person nobody; see gc people list
  [1]

Budgets name the agents whose use is unknown, and what to do about them.

  $ gc agent add script --command cat
  Agent script was added; give it work with `gc sling script "<what to do>"`.
  $ gc budget set 5usd --agent script
  The agent script, per day: $0.00 of $5.00 are used.
  The use of these agents is unknown, since their programs do not report it: script. They get no turn.
  If one costs nothing, write cost = "none" where it is declared.
  $ gc budget list
  SCOPE         PER  LIMIT  USED   STATE  UNTIL
  agent script  day  $5.00  $0.00  ok     * (glob)
  The use of these agents is unknown, since their programs do not report it: script. They get no turn.
  If one costs nothing, write cost = "none" where it is declared.
  $ gc budget strict
  Budgets are strict: an agent whose program does not report what it uses gets no turn.
  The use of these agents is unknown, since their programs do not report it: script. They get no turn.
  If one costs nothing, write cost = "none" where it is declared.
  $ gc budget strict --json
  {"items":[{"scope":"agent","unit":"usd","per":"day","limit":5,"spent":0,"name":"script","state":"ok","period_start":"*","period_end":"*"}],"total":1,"strict":true,"uncounted":[{"agent":"script"}]} (glob)
  $ gc budget remove usd --agent script
  The budget was removed.
  $ gc budget list
  There are no budgets; `gc budget set 5usd` limits what the city may use each day.
  $ gc budget remove usd --agent script
  gc: there is no such budget; `gc budget list` lists valid names
  [1]
