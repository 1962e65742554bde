A tree has each bead with its depth, its parent and the edge between them.

  $ bd create root --silent
  to-1
  $ bd create middle --silent
  to-2
  $ bd create leaf --silent
  to-3
  $ bd dep add to-1 to-2
  ✓ Added dependency: to-1 depends on to-2 (blocks)
  $ bd link to-2 to-3 --type tracks
  ✓ Added dependency: to-2 depends on to-3 (tracks)
  $ bd dep tree to-1
  ○ to-1 P2 root
    ○ to-2 P2 middle
      ○ to-3 P2 leaf
  $ bd dep tree to-1 --json
  [
    {
      "created_at": "*", (glob)
      "depth": 0,
      "id": "to-1",
      "issue_type": "task",
      "parent_id": "",
      "priority": 2,
      "status": "open",
      "title": "root",
      "truncated": false,
      "updated_at": "*" (glob)
    },
    {
      "created_at": "*", (glob)
      "depth": 1,
      "edge_from_parent": "blocks",
      "id": "to-2",
      "issue_type": "task",
      "parent_id": "to-1",
      "priority": 2,
      "status": "open",
      "title": "middle",
      "truncated": false,
      "updated_at": "*" (glob)
    },
    {
      "created_at": "*", (glob)
      "depth": 2,
      "edge_from_parent": "tracks",
      "id": "to-3",
      "issue_type": "task",
      "parent_id": "to-2",
      "priority": 2,
      "status": "open",
      "title": "leaf",
      "truncated": false,
      "updated_at": "*" (glob)
    }
  ]
  $ bd dep tree to-3 --direction up
  ○ to-3 P2 leaf
    ○ to-2 P2 middle
      ○ to-1 P2 root
  $ bd dep tree to-1 -d 1 --json | grep -E '"(id|truncated)"'
      "id": "to-1",
      "truncated": false,
      "id": "to-2",
      "truncated": true,
  $ bd dep tree to-2 --direction=both
    ○ to-1 P2 root
  ○ to-2 P2 middle
    ○ to-3 P2 leaf
  $ bd dep tree to-1 --format mermaid
  flowchart TD
    to-1["to-1: root"]
    to-2["to-2: middle"]
    to-3["to-3: leaf"]
    to-1 --> to-2
    to-2 --> to-3

Two related beads refer to each other and block nothing; none wait for each other.

  $ bd create one --silent
  to-4
  $ bd create two --silent
  to-5
  $ bd dep relate to-4 to-5 --json
  {
    "id1": "to-4",
    "id2": "to-5",
    "related": true,
    "schema_version": 1
  }
  $ bd dep list to-4
  to-5: two [P2] (open) via relates-to
  $ bd dep list to-5
  to-4: one [P2] (open) via relates-to
  $ bd ready
  ○ to-2 P2 middle
  ○ to-3 P2 leaf
  ○ to-4 P2 one
  ○ to-5 P2 two
  
  4 ready, nothing blocks them.
  $ bd dep unrelate to-4 to-5 --json
  {
    "id1": "to-4",
    "id2": "to-5",
    "schema_version": 1,
    "unrelated": true
  }
  $ bd dep list to-4
  to-4 has none.
  $ bd dep list to-5
  to-5 has none.
  $ echo '{"from":"to-4","to":"to-5"}' > ../edges.jsonl
  $ bd dep add --file ../edges.jsonl --json
  {
    "added": [
      {
        "depends_on_id": "to-5",
        "issue_id": "to-4",
        "type": "blocks"
      }
    ],
    "count": 1,
    "schema_version": 1,
    "status": "added"
  }
  $ bd dep add to-5 to-4
  Error: bead to-5 cannot wait for to-4: they would wait for each other, to-5 → to-4 → to-5
  [1]
  $ bd dep cycles --json
  []

Superseded and duplicate beads are closed and refer to the other.

  $ bd create old --silent
  to-6
  $ bd create better --silent
  to-7
  $ bd create twin --silent
  to-8
  $ bd supersede to-6 --with to-7 --json
  {
    "replacement": "to-7",
    "schema_version": 1,
    "status": "closed",
    "superseded": "to-6"
  }
  $ bd duplicate to-8 --of to-7 --json
  {
    "canonical": "to-7",
    "duplicate": "to-8",
    "schema_version": 1,
    "status": "closed"
  }
  $ bd show to-6
  to-6 · old   [P2 · CLOSED]
  Type: task
  Created: * · Updated: * (glob)
  Close reason: superseded by to-7
  
  DEPENDS ON
    ○ to-7 P2 better
  
  $ bd dep list to-8
  to-7: better [P2] (open) via duplicates

Blocked beads are listed with their blockers.

  $ bd create Wall --silent
  to-9
  $ bd create Roof --silent
  to-10
  $ bd dep to-9 --blocks to-10
  ✓ Added dependency: to-10 depends on to-9 (blocks)
  $ bd blocked
  ○ to-10 P2 Roof
    waits for to-9
  ○ to-4 P2 one
    waits for to-5
  ○ to-1 P2 root
    waits for to-2
  $ bd blocked --json | grep -A2 'blocked_by"'
      "blocked_by": [
        "to-9"
      ],
  --
      "blocked_by": [
        "to-5"
      ],
  --
      "blocked_by": [
        "to-2"
      ],
  $ bd list --ready
  ○ to-9 P2 Wall
  ○ to-7 P2 better
  ○ to-5 P2 two
  ○ to-3 P2 leaf
  ○ to-2 P2 middle
  
  5 beads.

A gate blocks a bead until it is resolved.

  $ bd create 'Behind a gate' --silent
  to-11
  $ bd gate create --blocks to-11 --type human --reason 'ask first' --json
  {
    "await_type": "human",
    "created_at": "*", (glob)
    "ephemeral": true,
    "id": "to-12",
    "issue_type": "gate",
    "priority": 1,
    "schema_version": 1,
    "status": "open",
    "title": "ask first",
    "updated_at": "*" (glob)
  }
  $ bd list --ready | grep gate
  [1]
  $ bd list | grep ask
  [1]
  $ bd list --include-gates | grep ask
  ○ to-12 P1 [gate] ask first
  $ bd gate list
  to-12  human  waits  ask first
  $ bd gate check --json
  {
    "checked": 1,
    "dry_run": false,
    "errors": 0,
    "escalated": 0,
    "escalated_ids": [],
    "resolved": 0,
    "resolved_ids": [],
    "schema_version": 1,
    "waiting_ids": [
      "to-12"
    ]
  }
  $ bd gate resolve to-12 --reason yes
  to-12  human  resolved: yes  ask first
  $ bd list --ready | grep gate
  ○ to-11 P2 Behind a gate
  $ bd gate resolve to-11
  Error: to-11 is not a gate (type: task)
  [1]

A timer resolves itself once it is due.

  $ bd create Later --silent
  to-13
  $ bd gate create --blocks to-13 --type timer --timeout 1h
  to-14  timer  waits  Gate of to-13: timer
  $ bd gate check --type timer --dry-run --json
  {
    "checked": 1,
    "dry_run": true,
    "errors": 0,
    "escalated": 0,
    "escalated_ids": [],
    "resolved": 0,
    "resolved_ids": [],
    "schema_version": 1,
    "waiting_ids": [
      "to-14"
    ]
  }
  $ bd list --ready | grep Later
  [1]
  $ bd create Soon --silent
  to-15
  $ bd gate create --blocks to-15 --type timer --timeout 0s
  to-16  timer  waits  Gate of to-15: timer
  $ await Soon bd list --ready

A molecule shows where its worker is, and is burned with its steps.

  $ bd create Patrol -t epic --silent
  to-17
  $ bd create Look --parent to-17 --silent
  to-18
  $ bd create Report --parent to-17 --deps to-18 --silent
  to-19
  $ bd mol current to-17
  to-17: Patrol
    [ready] to-18: Look
    [blocked] to-19: Report
  0/2 steps complete
  $ bd mol current to-17 --json | grep -E '"(molecule_id|completed|total)"'
      "completed": 0,
      "molecule_id": "to-17",
      "total": 2
  $ bd update to-18 --status in_progress
  ✓ Updated issue: to-18 — Look
  $ bd mol current to-17
  to-17: Patrol
    [current] to-18: Look <- you are here
    [blocked] to-19: Report
  0/2 steps complete
  $ bd mol current to-17 --json
  [
    {
      "completed": 0,
      "current_step": {
        "created_at": "*", (glob)
        "id": "to-18",
        "issue_type": "task",
        "parent": "to-17",
        "priority": 2,
        "status": "in_progress",
        "title": "Look",
        "updated_at": "*" (glob)
      },
      "molecule_id": "to-17",
      "molecule_title": "Patrol",
      "steps": [
        {
          "is_current": true,
          "issue": {
            "created_at": "*", (glob)
            "id": "to-18",
            "issue_type": "task",
            "parent": "to-17",
            "priority": 2,
            "status": "in_progress",
            "title": "Look",
            "updated_at": "*" (glob)
          },
          "status": "current"
        },
        {
          "is_current": false,
          "issue": {
            "created_at": "*", (glob)
            "id": "to-19",
            "issue_type": "task",
            "parent": "to-17",
            "priority": 2,
            "status": "open",
            "title": "Report",
            "updated_at": "*" (glob)
          },
          "status": "blocked"
        }
      ],
      "total": 2
    }
  ]
  $ bd close to-18
  ✓ Closed to-18 — Look
  $ bd mol progress to-17 --json
  {
    "completed": 1,
    "in_progress": 0,
    "molecule_id": "to-17",
    "molecule_title": "Patrol",
    "percent": 50,
    "schema_version": 1,
    "total": 2
  }
  $ bd mol show to-17
  ○ to-17 P2 [epic] Patrol
    ✓ to-18 P2 Look
    ○ to-19 P2 Report
  $ bd mol burn to-17 --force --json
  {
    "closed_ids": [
      "to-18",
      "to-19",
      "to-17"
    ],
    "deleted_count": 3,
    "deleted_ids": [
      "to-18",
      "to-19",
      "to-17"
    ],
    "molecule_id": "to-17",
    "schema_version": 1
  }
  $ bd show to-17 to-19 | grep ' · .* \['
  to-17 · Patrol   [P2 · CLOSED]
  to-19 · Report   [P2 · CLOSED]

A wisp is poured from a formula and burned, and a molecule is poured to stay.

  $ mkdir formulas
  $ cat > formulas/round.toml <<'END'
  > formula = "round"
  > [[steps]]
  > id = "a"
  > title = "A {{n}}"
  > END
  $ bd mol wisp round --root-only --var n=1 --json
  {
    "created": 1,
    "id_mapping": {
      "round": "to-20"
    },
    "new_epic_id": "to-20",
    "schema_version": 1
  }
  $ bd formula show round --json=name
  {
    "error": "unknown option '--json=name'",
    "schema_version": 1
  }
  [2]
  $ bd show to-20 --json | grep -E '"(title|ephemeral|issue_type|status)"'
      "ephemeral": true,
      "issue_type": "molecule",
      "status": "open",
      "title": "round",
  $ bd update to-20 --status in_progress
  ✓ Updated issue: to-20 — round
  $ bd list --status in_progress --type molecule
  ◐ to-20 P2 [molecule] round
  
  1 bead.
  $ bd mol burn to-20 --force
  ✓ Burned 1 molecule: 1 bead
  $ bd mol pour round --var n=2
  ✓ Poured molecule to-21: 2 beads
  $ bd mol current to-21
  to-21: round
    [ready] to-22: A 2
  0/1 steps complete
  $ bd mol pour round
  Error: instantiating formula "round": step "round.a": bead title contains unresolved variable(s) n — missing or misspelled --var(s)?
  [1]

Closing a step shows the next one; a person claims none.

  $ bd create Patrol -t epic --silent
  to-23
  $ bd create Look --parent to-23 --silent
  to-24
  $ bd create Report --parent to-23 --deps to-24 --silent
  to-25
  $ bd close to-24 --continue --json
  {
    "closed": [
      {
        "closed_at": "*", (glob)
        "comment_count": 0,
        "created_at": "*", (glob)
        "dependencies": [
          {
            "depends_on_id": "to-23",
            "issue_id": "to-24",
            "metadata": "{}",
            "type": "parent-child"
          }
        ],
        "dependency_count": 0,
        "dependent_count": 1,
        "id": "to-24",
        "issue_type": "task",
        "parent": "to-23",
        "priority": 2,
        "status": "closed",
        "title": "Look",
        "updated_at": "*" (glob)
      }
    ],
    "continue": {
      "auto_advanced": false,
      "closed_step": {
        "closed_at": "*", (glob)
        "created_at": "*", (glob)
        "id": "to-24",
        "issue_type": "task",
        "parent": "to-23",
        "priority": 2,
        "status": "closed",
        "title": "Look",
        "updated_at": "*" (glob)
      },
      "molecule_complete": false,
      "molecule_id": "to-23",
      "next_step": {
        "created_at": "*", (glob)
        "id": "to-25",
        "issue_type": "task",
        "parent": "to-23",
        "priority": 2,
        "status": "open",
        "title": "Report",
        "updated_at": "*" (glob)
      }
    },
    "schema_version": 1
  }
  $ bd close to-25 --continue
  ✓ Closed to-25 — Report
  ✓ to-23 is complete

Closing a step claims the next one for the session that closes it.

  $ mkfifo "$GC_HOME/walker"
  $ gc agent add walker --command 'printf %s "$GC_TOKEN" > "$GC_HOME/walker"; exec sleep 600'
  Agent walker was added; give it work with `gc sling walker "<what to do>"`.
  $ gc session new walker
  Session to-26 (s-to-26) is active.
  $ own() { GC_SESSION_ID=to-26 GC_TOKEN=$token GC_CITY_NAME=town bd "$@"; }
  $ token=$(cat "$GC_HOME/walker")
  $ bd create Walk -t epic --silent
  to-27
  $ bd create Begin --parent to-27 --silent
  to-28
  $ bd create End --parent to-27 --deps to-28 --silent
  to-29
  $ own update to-28 --claim
  ✓ Updated issue: to-28 — Begin
  $ own close to-28 --continue --json
  {
    "closed": [
      {
        "assignee": "s-to-26",
        "closed_at": "*", (glob)
        "comment_count": 0,
        "created_at": "*", (glob)
        "dependencies": [
          {
            "depends_on_id": "to-27",
            "issue_id": "to-28",
            "metadata": "{}",
            "type": "parent-child"
          }
        ],
        "dependency_count": 0,
        "dependent_count": 1,
        "id": "to-28",
        "issue_type": "task",
        "metadata": {
          "gc.session_id": "to-26",
          "gc.session_name": "s-to-26"
        },
        "parent": "to-27",
        "priority": 2,
        "status": "closed",
        "title": "Begin",
        "updated_at": "*" (glob)
      }
    ],
    "continue": {
      "auto_advanced": true,
      "closed_step": {
        "assignee": "s-to-26",
        "closed_at": "*", (glob)
        "created_at": "*", (glob)
        "id": "to-28",
        "issue_type": "task",
        "metadata": {
          "gc.session_id": "to-26",
          "gc.session_name": "s-to-26"
        },
        "parent": "to-27",
        "priority": 2,
        "status": "closed",
        "title": "Begin",
        "updated_at": "*" (glob)
      },
      "molecule_complete": false,
      "molecule_id": "to-27",
      "next_step": {
        "assignee": "s-to-26",
        "created_at": "*", (glob)
        "id": "to-29",
        "issue_type": "task",
        "metadata": {
          "gc.session_id": "to-26",
          "gc.session_name": "s-to-26"
        },
        "parent": "to-27",
        "priority": 2,
        "status": "in_progress",
        "title": "End",
        "updated_at": "*" (glob)
      }
    },
    "schema_version": 1
  }
  $ own show --current
  to-29 · End   [P2 · IN_PROGRESS]
  Type: task · Assignee: s-to-26
  Created: * · Updated: * (glob)
  Parent: to-27
  
  DEPENDS ON
    ✓ to-28 P2 Begin
  
  $ own mol current
  to-27: Walk
    [done] to-28: Begin
    [current] to-29: End <- you are here
  1/2 steps complete
  $ own ready --claim -l nothing-has-it
  No ready work to claim.
  $ bd create Guarded --silent
  to-30
  $ own update to-30 --claim --if-status open
  ✓ Updated issue: to-30 — Guarded
  $ bd create Spare -l spare --silent
  to-31
  $ own ready --claim -l spare
  ✓ Claimed to-31 — Spare

A wisp is burned for good, open or not, after a preview and a confirmation.

  $ bd create Wisp --ephemeral --silent
  to-32
  $ bd create Step --ephemeral --parent to-32 --silent
  to-33
  $ bd update to-33 --status in_progress
  ✓ Updated issue: to-33 — Step
  $ bd mol burn to-32 --dry-run --json
  {
    "dry_run": true,
    "results": [
      {
        "molecule_id": "to-32",
        "would_delete": [
          "to-32",
          "to-33"
        ]
      }
    ],
    "schema_version": 1
  }
  $ bd mol burn to-32
  Error: burning removes the wisp for good and asks first, which needs a terminal; add --force to burn it without
  [1]
  $ bd burn to-32 --force --json
  {
    "deleted_count": 2,
    "deleted_ids": [
      "to-33",
      "to-32"
    ],
    "molecule_id": "to-32",
    "schema_version": 1
  }
  $ bd show to-32
  Error: no issues found matching the provided IDs
  [1]
  $ bd mol burn to-32 --force
  Error: bead to-32 does not exist
  [1]

A squashed molecule leaves one closed bead that sums its wisps up.

  $ bd create Tour -t epic --silent
  to-34
  $ bd create Stop --ephemeral --parent to-34 --silent
  to-35
  $ bd mol squash to-34 --summary 'All seen' --json
  {
    "digest_id": "to-36",
    "kept_children": false,
    "molecule_id": "to-34",
    "schema_version": 1,
    "squashed_count": 1,
    "squashed_ids": [
      "to-35"
    ]
  }
  $ bd show to-36
  to-36 · Digest: Tour   [P2 · CLOSED]
  Type: task
  Created: * · Updated: * (glob)
  Parent: to-34
  Close reason: squashed from 1 wisp
  
  DESCRIPTION
  All seen
  
  $ bd show to-35
  Error: no issues found matching the provided IDs
  [1]
  $ bd show to-34 | head -1
  to-34 · Tour   [P2 · OPEN]

Burning what a formula made leaves nothing behind.

  $ cat > formulas/tour.toml <<'END'
  > formula = "tour"
  > [[steps]]
  > id = "a"
  > title = "A"
  > [[steps]]
  > id = "b"
  > title = "B"
  > needs = ["a"]
  > END
  $ bd mol wisp tour
  ✓ Created wisp to-37: 3 beads
  $ bd mol burn to-37 --force --json
  {
    "deleted_count": 3,
    "deleted_ids": [
      "to-38",
      "to-39",
      "to-37"
    ],
    "molecule_id": "to-37",
    "schema_version": 1
  }
  $ bd list --all -n 0 --include-infra | grep tour
  [1]

A plan is created as a whole, and a preview creates nothing.

  $ cat > ../plan.json <<'END'
  > { "nodes": [ { "key": "build", "title": "Build it" },
  >     { "key": "ship", "title": "Ship it", "type": "feature", "labels": ["x"], "parent_key": "build" } ],
  >   "edges": [ { "from_key": "ship", "to_key": "build" } ] }
  > END
  $ bd count
  31
  $ bd create --graph ../plan.json --dry-run
  would create: [P2] [task] Build it
  would create: [P2] [feature] Ship it
  $ bd count
  31
  $ bd create --graph ../plan.json
  ✓ Created issue: to-40 — Build it
    Priority: P2
    Status: open
  ✓ Created issue: to-41 — Ship it
    Priority: P2
    Status: open
  $ bd show to-41
  to-41 · Ship it   [P2 · OPEN]
  Type: feature
  Created: * · Updated: * (glob)
  Labels: x
  Parent: to-40
  
  BLOCKED BY
    to-40
  
  DEPENDS ON
    ○ to-40 P2 Build it
  
  $ bd create Seen --dry-run --json
  {
    "dependencies": [],
    "dry_run": true,
    "issue_type": "task",
    "priority": 2,
    "schema_version": 1,
    "status": "open",
    "title": "Seen"
  }

Epics that are done are closed.

  $ bd create epic -t epic --silent
  to-42
  $ bd create child --parent to-42 --silent
  to-43
  $ bd epic status
  to-42 epic: 0 of 1 children closed
  to-34 Tour: 1 of 1 children closed; it can be closed
  to-27 Walk: 1 of 2 children closed
  to-23 Patrol: 2 of 2 children closed; it can be closed
  $ bd close to-43
  ✓ Closed to-43 — child
  $ bd children to-42
  ✓ to-43 P2 child
  
  1 bead.
  $ bd children to-9999 --json
  []
  $ bd list --parent to-42
  No bead matches.
  $ bd list --parent to-42 --status closed
  ✓ to-43 P2 child
  
  1 bead.
  $ bd epic close-eligible --json
  {
    "closed": [
      "to-42",
      "to-34",
      "to-23"
    ],
    "count": 3,
    "schema_version": 1
  }
  $ bd history to-43
  * bead.closed  status open → closed, by operator (glob)
  * bead.created  “child”, status open, by operator (glob)
  $ bd history to-43 --json | grep -E '"(Event|Committer|id|status)"'
      "Committer": "operator",
      "Event": "bead.closed",
        "id": "to-43",
        "status": "closed",
      "Committer": "operator",
      "Event": "bead.created",
        "id": "to-43",
        "status": "open",

The supervisor reported nothing but the changes of people.

  $ grep -v ', by operator$' ../serve.log
  [1]
