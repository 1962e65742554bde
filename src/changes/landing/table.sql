-- Branches that are to land, one row for each submission that was not replaced by a later one.
CREATE TABLE landings (
  id TEXT PRIMARY KEY,
  rig TEXT NOT NULL,
  target TEXT NOT NULL,
  -- The queue goes by this; one that is submitted again keeps its place.
  place INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN (
    'submitted', 'queued', 'in_batch', 'landed', 'already', 'waits_turn', 'conflict', 'red', 'held', 'parked', 'lost',
    'cancelled', 'given_up', 'pr_open', 'pr_waiting', 'pr_merging'
  )),
  -- Why it is in this state, in words; and what a release allows.
  reason TEXT NOT NULL DEFAULT '',
  held_for TEXT NOT NULL DEFAULT '',
  session TEXT,
  bead TEXT,
  -- Whether the bead was closed when it was submitted.
  bead_closed INTEGER NOT NULL,
  agent TEXT,
  branch TEXT NOT NULL,
  head TEXT NOT NULL,
  try INTEGER NOT NULL DEFAULT 1,
  batch TEXT,
  -- The commit that landed.
  merged TEXT,
  -- Whose turn it is waiting for, and the files of its own conflict.
  waits_for TEXT,
  files TEXT NOT NULL DEFAULT '[]',
  turn_until INTEGER,
  -- What a person let pass.
  allowed TEXT NOT NULL DEFAULT '[]',
  submitted_by TEXT NOT NULL,
  submitted_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE INDEX landings_queue ON landings (rig, state, place);
CREATE INDEX landings_by_bead ON landings (bead);
CREATE INDEX landings_by_branch ON landings (rig, branch);
CREATE INDEX landings_by_place ON landings (place);
CREATE INDEX landings_by_state ON landings (state, place);

-- Every head that was submitted.
CREATE TABLE landing_heads (
  landing TEXT NOT NULL,
  try INTEGER NOT NULL,
  head TEXT NOT NULL,
  PRIMARY KEY (landing, try)
) WITHOUT ROWID;
CREATE INDEX landing_heads_by_head ON landing_heads (head);

-- Candidates that are checked and pushed together.
CREATE TABLE landing_batches (
  id TEXT PRIMARY KEY,
  rig TEXT NOT NULL,
  target TEXT NOT NULL,
  base TEXT NOT NULL,
  base_tree TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('checking', 'bisecting', 'pushing', 'done')),
  -- The last position that passed and the first that failed, as far as is known.
  lo INTEGER NOT NULL,
  hi INTEGER NOT NULL,
  outcome TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  ended_at INTEGER
);
CREATE INDEX landing_batches_open ON landing_batches (rig) WHERE state <> 'done';

-- What a batch is made of, in order: each candidate contains those before it.
CREATE TABLE landing_members (
  batch TEXT NOT NULL,
  position INTEGER NOT NULL,
  landing TEXT NOT NULL,
  head TEXT NOT NULL,
  parent TEXT NOT NULL,
  candidate TEXT NOT NULL,
  tree TEXT NOT NULL,
  -- Stands for the paths that it changes and their contents.
  expected TEXT NOT NULL,
  PRIMARY KEY (batch, position)
) WITHOUT ROWID;
CREATE INDEX landing_members_by_landing ON landing_members (landing);

-- Pushes that were begun. One is open until its branch is seen to have it, or to have left where it was.
CREATE TABLE landing_pushes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  batch TEXT NOT NULL,
  rig TEXT NOT NULL,
  target TEXT NOT NULL,
  old TEXT NOT NULL,
  new TEXT NOT NULL,
  upto INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'landed', 'overtaken')),
  tries INTEGER NOT NULL DEFAULT 0,
  message TEXT NOT NULL DEFAULT '',
  started_at INTEGER NOT NULL
);
CREATE INDEX landing_pushes_open ON landing_pushes (rig) WHERE state = 'open';
CREATE INDEX landing_pushes_by_batch ON landing_pushes (batch);

-- Checks of candidates. Position -1 is the base.
CREATE TABLE landing_checks (
  id TEXT PRIMARY KEY,
  batch TEXT NOT NULL,
  rig TEXT NOT NULL,
  position INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  commit_id TEXT NOT NULL,
  -- Stands for the tree, the command and its environment.
  key TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('starting', 'running', 'done')),
  -- Begun again when the host that ran it was lost.
  runs INTEGER NOT NULL DEFAULT 0,
  verdict TEXT CHECK (verdict IN ('green', 'red', 'none')),
  reason TEXT NOT NULL DEFAULT '',
  output TEXT NOT NULL DEFAULT '',
  token_hash TEXT,
  started_at INTEGER,
  ended_at INTEGER
);
CREATE INDEX landing_checks_by_batch ON landing_checks (batch, position, attempt);
CREATE INDEX landing_checks_open ON landing_checks (state) WHERE state <> 'done';
CREATE INDEX landing_checks_by_key ON landing_checks (key) WHERE verdict = 'green';

-- What the owners of branches are written, once for each try.
CREATE TABLE landing_letters (
  landing TEXT NOT NULL,
  try INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('conflict', 'red')),
  base TEXT NOT NULL,
  candidate TEXT,
  details TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'sent', 'undeliverable')),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (landing, try, kind)
) WITHOUT ROWID;
CREATE INDEX landing_letters_pending ON landing_letters (state) WHERE state = 'pending';

-- What is known of each rig's target, and why nothing lands there for now.
CREATE TABLE landing_trains (
  rig TEXT PRIMARY KEY,
  target TEXT NOT NULL,
  base TEXT,
  standing_for TEXT NOT NULL DEFAULT '',
  standing TEXT NOT NULL DEFAULT '',
  standing_since INTEGER,
  -- The base at which it came to stand.
  standing_at TEXT,
  paused_by TEXT,
  paused_at INTEGER
) WITHOUT ROWID;
CREATE INDEX landing_trains_standing ON landing_trains (standing_for) WHERE standing_for <> '';
