`bd create` prints the bead as an object with the schema version.

  $ bd create Root --priority 1 --type feature --description 'the root' --json
  {
    "created_at": "*", (glob)
    "description": "the root",
    "id": "to-1",
    "issue_type": "feature",
    "priority": 1,
    "schema_version": 1,
    "status": "open",
    "title": "Root",
    "updated_at": "*" (glob)
  }

`bd create` accepts labels, metadata, a parent and dependencies.

  $ bd create Below -l a,b --metadata '{"n": 4}' --parent to-1 --deps to-1 --json
  {
    "created_at": "*", (glob)
    "id": "to-2",
    "issue_type": "task",
    "labels": [
      "a",
      "b"
    ],
    "metadata": {
      "n": "4"
    },
    "parent": "to-1",
    "priority": 2,
    "schema_version": 1,
    "status": "open",
    "title": "Below",
    "updated_at": "*" (glob)
  }
  $ bd dep list to-2 --json
  [
    {
      "created_at": "*", (glob)
      "dependency_type": "blocks",
      "description": "the root",
      "id": "to-1",
      "issue_type": "feature",
      "priority": 1,
      "status": "open",
      "title": "Root",
      "updated_at": "*" (glob)
    }
  ]

`bd create` prints a sentence, and with --silent only the id.

  $ bd create Told -p P3
  ✓ Created issue: to-3 — Told
    Priority: P3
    Status: open
  $ bd create Quiet --silent
  to-4

`bd create` uses the rig of the current folder, or the one of --rig.

  $ (cd "$SHOP" && bd create 'In the shop' --silent)
  sh-1
  $ bd --rig shop create Too --silent
  sh-2

`bd create` rejects an id, a missing title and invalid metadata.

  $ bd create x --id my-1 --json
  {
    "error": "the city assigns ids; remove --id",
    "schema_version": 1
  }
  [1]
  $ bd create --json
  {
    "error": "title required",
    "schema_version": 1
  }
  [2]
  $ bd create x --metadata '[]' --json
  {
    "error": "--metadata must be a JSON object",
    "schema_version": 1
  }
  [2]

A bead is shown as a list of one, with its dependencies and dependents.

  $ bd create Wall --silent
  to-5
  $ bd create Roof -l top --silent
  to-6
  $ bd dep add to-6 to-5 --json
  {
    "depends_on_id": "to-5",
    "issue_id": "to-6",
    "schema_version": 1,
    "status": "added",
    "type": "blocks"
  }
  $ bd show to-6 --json
  [
    {
      "comment_count": 0,
      "created_at": "*", (glob)
      "dependencies": [
        {
          "created_at": "*", (glob)
          "dependency_type": "blocks",
          "id": "to-5",
          "issue_type": "task",
          "priority": 2,
          "status": "open",
          "title": "Wall",
          "updated_at": "*" (glob)
        }
      ],
      "dependency_count": 1,
      "dependent_count": 0,
      "id": "to-6",
      "issue_type": "task",
      "labels": [
        "top"
      ],
      "priority": 2,
      "status": "open",
      "title": "Roof",
      "updated_at": "*" (glob)
    }
  ]
  $ bd show to-6
  to-6 · Roof   [P2 · OPEN]
  Type: task
  Created: * · Updated: * (glob)
  Labels: top
  
  BLOCKED BY
    to-5
  
  DEPENDS ON
    ○ to-5 P2 Wall
  
  $ bd show to-5 --json
  [
    {
      "comment_count": 0,
      "created_at": "*", (glob)
      "dependency_count": 0,
      "dependent_count": 1,
      "dependents": [
        {
          "created_at": "*", (glob)
          "dependency_type": "blocks",
          "id": "to-6",
          "issue_type": "task",
          "labels": [
            "top"
          ],
          "priority": 2,
          "status": "open",
          "title": "Roof",
          "updated_at": "*" (glob)
        }
      ],
      "id": "to-5",
      "issue_type": "task",
      "priority": 2,
      "status": "open",
      "title": "Wall",
      "updated_at": "*" (glob)
    }
  ]
  $ bd ready
  ○ to-1 P1 [feature] Root
  ○ to-4 P2 Quiet
  ○ sh-1 P2 In the shop
  ○ sh-2 P2 Too
  ○ to-5 P2 Wall
  ○ to-3 P3 Told
  
  6 ready, nothing blocks them.
  $ bd ready --json -n 1
  [
    {
      "comment_count": 0,
      "created_at": "*", (glob)
      "dependency_count": 0,
      "dependent_count": 1,
      "description": "the root",
      "id": "to-1",
      "issue_type": "feature",
      "priority": 1,
      "status": "open",
      "title": "Root",
      "updated_at": "*" (glob)
    }
  ]
  $ bd list
  ○ to-1 P1 [feature] Root
  ○ to-6 P2 Roof
  ○ to-5 P2 Wall
  ○ sh-2 P2 Too
  ○ sh-1 P2 In the shop
  ○ to-4 P2 Quiet
  ○ to-2 P2 Below
  ○ to-3 P3 Told
  
  8 beads.
  $ bd list --json -l top
  [
    {
      "comment_count": 0,
      "created_at": "*", (glob)
      "dependencies": [
        {
          "created_at": "*", (glob)
          "created_by": "operator",
          "depends_on_id": "to-5",
          "issue_id": "to-6",
          "metadata": "{}",
          "type": "blocks"
        }
      ],
      "dependency_count": 1,
      "dependent_count": 0,
      "id": "to-6",
      "issue_type": "task",
      "labels": [
        "top"
      ],
      "priority": 2,
      "status": "open",
      "title": "Roof",
      "updated_at": "*" (glob)
    }
  ]

Lists accept the filters of bd.

  $ bd create 'Find me' -l red,round -p 0 --set-metadata colour=red --silent
  to-7
  $ bd list -l red,round
  ○ to-7 P0 Find me
  
  1 bead.
  $ bd list -p P0
  ○ to-7 P0 Find me
  
  1 bead.
  $ bd list --metadata-field colour=red
  ○ to-7 P0 Find me
  
  1 bead.
  $ bd list --no-assignee
  ○ to-7 P0 Find me
  ○ to-1 P1 [feature] Root
  ○ to-6 P2 Roof
  ○ to-5 P2 Wall
  ○ sh-2 P2 Too
  ○ sh-1 P2 In the shop
  ○ to-4 P2 Quiet
  ○ to-2 P2 Below
  ○ to-3 P3 Told
  
  9 beads.
  $ bd list -l red,square
  No bead matches.
  $ bd list -p 4
  No bead matches.
  $ bd list -t bug
  No bead matches.
  $ bd list -l red --exclude-type task
  No bead matches.
  $ bd list -l red --exclude-label blue,round
  No bead matches.
  $ bd list -s closed
  No bead matches.
  $ bd list -t bug --json
  []
  $ bd list -n 1
  ○ to-7 P0 Find me
  
  1 of 9 beads.

Ready work is sorted by urgency, or by age.

  $ bd create Old -p 4 -l sorted --silent
  to-8
  $ bd create Urgent -p 0 -l sorted --silent
  to-9
  $ bd ready -l sorted
  ○ to-9 P0 Urgent
  ○ to-8 P4 Old
  
  2 ready, nothing blocks them.
  $ bd ready -l sorted --sort hybrid
  ○ to-9 P0 Urgent
  ○ to-8 P4 Old
  
  2 ready, nothing blocks them.
  $ bd ready -l sorted --sort oldest
  ○ to-8 P4 Old
  ○ to-9 P0 Urgent
  
  2 ready, nothing blocks them.
  $ bd ready --sort title
  bd: option '-s, --sort <way>' argument 'title' is invalid. Allowed choices are priority, oldest, hybrid.
  ...
  [2]

A bead that does not exist is an error with status 1.

  $ bd show to-99999 --json
  {
    "error": "no issues found matching the provided IDs",
    "schema_version": 1
  }
  [1]
  $ bd show to-99999 --json 2>/dev/null
  {
    "error": "no issues found matching the provided IDs",
    "schema_version": 1
  }
  [1]
  $ bd show to-99999
  Error: no issues found matching the provided IDs
  [1]
  $ bd show to-99999 2>/dev/null
  [1]

`bd update`, `bd close` and `bd reopen` change beads and print them as a list.

  $ bd create 'Change me' --silent
  to-10
  $ bd update to-10 --title Changed --add-label x -p 3 --json
  [
    {
      "comment_count": 0,
      "created_at": "*", (glob)
      "dependency_count": 0,
      "dependent_count": 0,
      "id": "to-10",
      "issue_type": "task",
      "labels": [
        "x"
      ],
      "priority": 3,
      "status": "open",
      "title": "Changed",
      "updated_at": "*" (glob)
    }
  ]
  $ bd close to-10 --reason 'done well' --json
  [
    {
      "close_reason": "done well",
      "closed_at": "*", (glob)
      "comment_count": 0,
      "created_at": "*", (glob)
      "dependency_count": 0,
      "dependent_count": 0,
      "id": "to-10",
      "issue_type": "task",
      "labels": [
        "x"
      ],
      "priority": 3,
      "status": "closed",
      "title": "Changed",
      "updated_at": "*" (glob)
    }
  ]
  $ bd reopen to-10 --json
  [
    {
      "close_reason": "done well",
      "comment_count": 0,
      "created_at": "*", (glob)
      "dependency_count": 0,
      "dependent_count": 0,
      "id": "to-10",
      "issue_type": "task",
      "labels": [
        "x"
      ],
      "priority": 3,
      "status": "open",
      "title": "Changed",
      "updated_at": "*" (glob)
    }
  ]
  $ gc events --format '{{.type}} {{.subject}}' | grep to-10
  bead.created to-10
  bead.updated to-10
  bead.updated to-10
  bead.closed to-10
  bead.updated to-10

`bd close` continues when one of several beads does not exist, and reports it.

  $ bd create 'One of two' --silent
  to-11
  $ bd close to-11 to-99999
  Error: to-99999: bead to-99999 does not exist
  ✓ Closed to-11 — One of two
  [1]
  $ bd close to-11 to-99999 2>/dev/null
  ✓ Closed to-11 — One of two
  [1]

`bd update` rejects an update without changes, and a claim outside a session.

  $ bd create Unchanged --silent
  to-12
  $ bd update to-12
  Error: no updates specified
  [2]
  $ bd update to-12 --claim
  Error: to-12: only a session claims work: send its token, which gc puts in GC_TOKEN, as Bearer
  [1]
  $ bd show to-12 --json | grep status
      "status": "open",

`bd search` finds beads by words, also closed ones, in the chosen rig.

  $ bd create 'Quokka pen' -l zoo --silent
  to-13
  $ bd create 'Quokka diet' -d leaves --silent
  to-14
  $ bd close to-14
  ✓ Closed to-14 — Quokka diet
  $ bd search quokka
  Found 2 issues matching 'quokka':
  to-14 [P2] [task] closed - Quokka diet
  to-13 [P2] [task] open [zoo] - Quokka pen
  $ bd search --query QUOKKA -s all
  Found 2 issues matching 'QUOKKA':
  to-14 [P2] [task] closed - Quokka diet
  to-13 [P2] [task] open [zoo] - Quokka pen
  $ bd search quokka leaves
  Found 1 issues matching 'quokka leaves':
  to-14 [P2] [task] closed - Quokka diet
  $ bd search quokka --status open
  Found 1 issues matching 'quokka':
  to-13 [P2] [task] open [zoo] - Quokka pen
  $ bd search quokka -l zoo
  Found 1 issues matching 'quokka':
  to-13 [P2] [task] open [zoo] - Quokka pen
  $ bd search quokka -n 1
  Found 1 issues matching 'quokka':
  to-14 [P2] [task] closed - Quokka diet
  $ bd search quokka -a nobody
  No issues found matching 'quokka'
  $ (cd "$SHOP" && bd search quokka)
  No issues found matching 'quokka'
  $ bd search
  Error: search query is required
  [2]

Comments are added and listed in the wording that prompts expect.

  $ bd create Discussed -l talk --silent
  to-15
  $ bd comments to-15
  No comments on to-15
  $ bd comment to-15 'Working on' 'this now'
  ✓ Comment added to to-15
  $ bd comments add to-15 'half done' --json
  {
    "author": "human",
    "created_at": "*", (glob)
    "id": "*", (glob)
    "issue_id": "to-15",
    "schema_version": 1,
    "text": "half done"
  }
  $ printf 'from a pipe\nof two lines\n\n' | bd comment to-15 --stdin
  ✓ Comment added to to-15
  $ bd comments to-15 --json
  [
    {
      "author": "human",
      "created_at": "*", (glob)
      "id": "*", (glob)
      "issue_id": "to-15",
      "text": "Working on this now"
    },
    {
      "author": "human",
      "created_at": "*", (glob)
      "id": "*", (glob)
      "issue_id": "to-15",
      "text": "half done"
    },
    {
      "author": "human",
      "created_at": "*", (glob)
      "id": "*", (glob)
      "issue_id": "to-15",
      "text": "from a pipe\nof two lines"
    }
  ]
  $ bd comments to-15
  
  Comments on to-15:
  
  [human] at * (glob)
    Working on this now
  
  [human] at * (glob)
    half done
  
  [human] at * (glob)
    from a pipe
    of two lines
  
  $ bd show to-15 --json
  [
    {
      "comment_count": 3,
      "comments": [
        {
          "author": "human",
          "created_at": "*", (glob)
          "id": "*", (glob)
          "issue_id": "to-15",
          "text": "Working on this now"
        },
        {
          "author": "human",
          "created_at": "*", (glob)
          "id": "*", (glob)
          "issue_id": "to-15",
          "text": "half done"
        },
        {
          "author": "human",
          "created_at": "*", (glob)
          "id": "*", (glob)
          "issue_id": "to-15",
          "text": "from a pipe\nof two lines"
        }
      ],
      "created_at": "*", (glob)
      "dependency_count": 0,
      "dependent_count": 0,
      "id": "to-15",
      "issue_type": "task",
      "labels": [
        "talk"
      ],
      "priority": 2,
      "status": "open",
      "title": "Discussed",
      "updated_at": "*" (glob)
    }
  ]
  $ bd list --json -l talk | grep comment_count
      "comment_count": 3,
  $ bd show to-15
  to-15 · Discussed   [P2 · OPEN]
  Type: task
  Created: * · Updated: * (glob)
  Labels: talk
  
  COMMENTS
  human, * ago (glob)
    Working on this now
  
  human, * ago (glob)
    half done
  
  human, * ago (glob)
    from a pipe
    of two lines
  

A comment is read from a file; a missing text or a subcommand as bead is rejected.

  $ bd create Written --silent
  to-16
  $ echo 'as noted' > ../note.txt
  $ bd comment to-16 -f ../note.txt
  ✓ Comment added to to-16
  $ bd comment to-16
  Error: no text provided (use words, --stdin, or --file)
  [2]
  $ bd comment list to-16
  Error: list is not a bead: `bd comments <bead>` lists, `bd comment <bead> <text>` adds
  [2]
  $ bd comment to-16 --file ../none
  Error: cannot read ../none
  [1]
  $ bd comment to-16 ' '
  Error: text must not be empty
  [1]
  $ bd comments to-99999
  Error: bead to-99999 does not exist
  [1]
  $ bd comments to-16
  
  Comments on to-16:
  
  [human] at * (glob)
    as noted
  

With BD_JSON_ENVELOPE=1 every answer is in an envelope, also errors.

  $ export BD_JSON_ENVELOPE=1
  $ bd ready --json -n 1
  {
    "data": [
      {
        "comment_count": 0,
        "created_at": "*", (glob)
        "dependency_count": 0,
        "dependent_count": 0,
        "id": "to-7",
        "issue_type": "task",
        "labels": [
          "red",
          "round"
        ],
        "metadata": {
          "colour": "red"
        },
        "priority": 0,
        "status": "open",
        "title": "Find me",
        "updated_at": "*" (glob)
      }
    ],
    "schema_version": 1
  }
  $ bd list --json -s closed -t bug
  {
    "data": [],
    "schema_version": 1
  }
  $ bd count --json
  {
    "data": {
      "count": 18
    },
    "schema_version": 1
  }
  $ bd show to-99999 --json
  {
    "data": {
      "error": "no issues found matching the provided IDs"
    },
    "schema_version": 1
  }
  [1]
  $ bd create Enveloped --json
  {
    "data": {
      "created_at": "*", (glob)
      "id": "to-17",
      "issue_type": "task",
      "priority": 2,
      "status": "open",
      "title": "Enveloped",
      "updated_at": "*" (glob)
    },
    "schema_version": 1
  }
  $ unset BD_JSON_ENVELOPE

Records of the city are not listed as work.

  $ gc agent add shop/idle --command cat --suspended
  Agent shop/idle was added, suspended; `gc agent resume shop/idle` lets it work.
  $ gc sling shop/idle 'Tracked by a convoy'
  sh-3 goes to shop/idle.
  gc: shop/idle cannot be started: agent is suspended; its work stays queued until you fix this
  $ bd list --all -n 0 -t convoy
  ○ sh-4 P2 [convoy] sling-sh-3
  
  1 bead.
  $ bd list --all -n 0 --json | grep -c '"id"'
  20
  $ bd count --json
  {
    "count": 20,
    "schema_version": 1
  }
  $ (cd "$SHOP" && bd list)
  ○ sh-3 P2 Tracked by a convoy
  ○ sh-2 P2 Too
  ○ sh-1 P2 In the shop
  
  3 beads.
  $ (cd "$SHOP" && bd list --include-infra)
  ○ sh-4 P2 [convoy] sling-sh-3
  ○ sh-3 P2 Tracked by a convoy
  ○ sh-2 P2 Too
  ○ sh-1 P2 In the shop
  
  4 beads.

Work assigned to a session is found by each of its names.

  $ gc agent add clerk --command 'exec sleep 600'
  Agent clerk was added; give it work with `gc sling clerk "<what to do>"`.
  $ gc session new clerk --alias cleo --json=id,session_name,alias
  {"id":"to-18","session_name":"s-to-18","alias":"cleo"}
  $ bd create Open -a to-18 --json | grep assignee
    "assignee": "cleo",
  $ bd create Begun -a s-to-18 --json | grep assignee
    "assignee": "cleo",
  $ bd update to-20 --status in_progress
  ✓ Updated issue: to-20 — Begun
  $ for name in cleo to-18 s-to-18; do bd list -a $name; bd list -a $name -s in_progress; bd ready -a $name; done
  ◐ to-20 P2 Begun
  ○ to-19 P2 Open
  
  2 beads.
  ◐ to-20 P2 Begun
  
  1 bead.
  ○ to-19 P2 Open
  
  1 ready, nothing blocks it.
  ◐ to-20 P2 Begun
  ○ to-19 P2 Open
  
  2 beads.
  ◐ to-20 P2 Begun
  
  1 bead.
  ○ to-19 P2 Open
  
  1 ready, nothing blocks it.
  ◐ to-20 P2 Begun
  ○ to-19 P2 Open
  
  2 beads.
  ◐ to-20 P2 Begun
  
  1 bead.
  ○ to-19 P2 Open
  
  1 ready, nothing blocks it.
  $ bd ready --assignee nobody-here
  No ready work: everything is taken, blocked or done.
  $ bd ready --no-assignee -n 0 | grep Open
  [1]

The supervisor reported nothing but the changes of people.

  $ grep -v ', by operator$' ../serve.log
  [1]
