A step that failed in a run that completed is named until it is dismissed.

  $ gc bead create Bridge --metadata gc.kind=workflow --metadata gc.formula_contract=graph.v2 --metadata gc.formula_name=bridge
  Created to-1: Bridge
  $ gc bead create 'Plan it' --metadata gc.root_bead_id=to-1
  Created to-2: Plan it
  $ bd update to-2 --set-metadata gc.outcome=fail --set-metadata 'gc.failure_reason=no idea'
  ✓ Updated issue: to-2 — Plan it
  $ bd close to-2
  ✓ Closed to-2 — Plan it
  $ bd update to-1 --set-metadata gc.outcome=pass
  ✓ Updated issue: to-1 — Bridge
  $ bd close to-1
  ✓ Closed to-1 — Bridge
  $ gc run list
  RUN   STATUS                    FORMULA  TARGET    UPDATED  TITLE   FAILED
  to-1  completed, a step failed  bridge   workflow  * Bridge  step "Plan it" failed: no idea (glob)
  $ gc run show to-1
  run      to-1
  title    Bridge
  status   completed
  formula  bridge
  target   workflow
  started  * (glob)
  failed   step "Plan it" failed: no idea
  
  STEP  STATUS  TITLE
  to-2  failed  Plan it
  $ gc run timeline to-1
  step "Plan it" failed: no idea
  * pending by gc/runs (glob)
  * active by gc/runs (glob)
  * completed by gc/runs (glob)
  
  to-2  Plan it  (task)
    * pending by operator (glob)
    * failed by operator (glob)
  $ gc attention
  SESSION  BEAD  SINCE  KIND  ASKS                                                               WHAT TO DO
  –        to-1  * run   Run to-1 of bridge completed, but step "Plan it" failed: no idea.  gc run show to-1; gc run retry to-1 --step <step> repeats it, gc run dismiss to-1 clears this (glob)
  $ gc run dismiss to-1
  to-1 no longer needs attention.
  $ gc attention
  Nothing needs attention.
  $ gc run dismiss sh-999
  gc: run sh-999 does not exist; `gc run list` lists valid names
  [1]

Runs are listed, shown with where they stand, paused, resumed, and canceled once.

  $ gc bead create Roads --metadata gc.kind=workflow --metadata gc.formula_contract=graph.v2
  Created to-3: Roads
  $ gc bead create Plan --metadata gc.root_bead_id=to-3 --metadata gc.step_ref=line.plan
  Created to-4: Plan
  $ gc run list
  RUN   STATUS                    FORMULA  TARGET    UPDATED  TITLE   FAILED
  to-3  pending                            workflow  * Roads (glob)
  to-1  completed, a step failed  bridge   workflow  * Bridge  step "Plan it" failed: no idea (glob)
  $ gc run show to-3
  run        to-3
  title      Roads
  status     pending
  target     workflow
  started    * (glob)
  waits for  Step "Plan" has no assignee: gc sling <agent> to-4.
  
  STEP  STATUS   TITLE
  to-4  pending  Plan
  $ gc run steps to-3
  STEP  STATUS   TITLE
  to-4  pending  Plan
  $ gc run pause to-3 --reason lunch
  to-3 is paused; `gc run resume to-3` continues it.
  $ gc run pause to-3
  gc: run to-3 is paused already: gc run resume to-3
  [1]
  $ gc run resume to-3
  to-3 continues.
  $ gc run skip to-3 line.plan
  gc: required option '--reason <text>' not specified
  ...
  [2]
  $ gc run skip to-3 nothing --reason x
  gc: run to-3 has no step nothing; gc run steps to-3 shows those it has
  [1]
  $ gc run retry to-3
  gc: no step of run to-3 has failed: name the step to begin again at
  [1]
  $ gc run cancel to-3
  to-3 is canceled; 2 beads were closed.
  $ gc run cancel to-3
  gc: run to-3 is already terminal; nothing to cancel
  [1]
  $ gc events --format '{{.type}} {{.subject}}' | grep to-3
  bead.created to-3
  run.changed to-3
  run.paused to-3
  run.changed to-3
  run.resumed to-3
  run.changed to-3
  bead.closed to-3
  run.changed to-3
