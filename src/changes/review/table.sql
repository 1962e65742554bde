CREATE TABLE changes (
  id TEXT PRIMARY KEY,
  session TEXT NOT NULL,
  bead TEXT,
  agent TEXT NOT NULL,
  rig TEXT NOT NULL,
  kind TEXT NOT NULL,
  folder TEXT NOT NULL,
  branch TEXT,
  target TEXT NOT NULL,
  started TEXT,
  base TEXT,
  head TEXT,
  round INTEGER NOT NULL DEFAULT 1,
  state TEXT NOT NULL,
  due TEXT,
  files INTEGER NOT NULL DEFAULT 0,
  added INTEGER NOT NULL DEFAULT 0,
  removed INTEGER NOT NULL DEFAULT 0,
  risk TEXT,
  checks TEXT,
  created_at INTEGER NOT NULL,
  active_at INTEGER NOT NULL,
  ready_at INTEGER,
  decided_at INTEGER,
  decided_by TEXT,
  reason TEXT,
  landed TEXT,
  tokens INTEGER,
  cost REAL,
  pinned INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX changes_undecided ON changes (created_at DESC, id DESC)
  WHERE state IN ('working', 'ready', 'asked', 'approved');
CREATE INDEX changes_all ON changes (created_at DESC, id DESC) WHERE state != 'none';
CREATE INDEX changes_decided ON changes (state, created_at DESC, id DESC)
  WHERE state IN ('landed', 'discarded', 'none');
CREATE INDEX changes_by_session ON changes (session, active_at DESC);
CREATE INDEX changes_by_bead ON changes (bead, active_at DESC) WHERE bead IS NOT NULL;
CREATE INDEX changes_due ON changes (id) WHERE due IS NOT NULL;
CREATE INDEX changes_pinned ON changes (decided_at) WHERE pinned = 1 AND state IN ('landed', 'discarded');

CREATE TABLE change_rounds (
  change TEXT NOT NULL,
  round INTEGER NOT NULL,
  base TEXT,
  head TEXT,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  PRIMARY KEY (change, round)
) WITHOUT ROWID;

CREATE TABLE change_comments (
  change TEXT NOT NULL,
  n INTEGER NOT NULL,
  person TEXT NOT NULL,
  state TEXT NOT NULL,
  "commit" TEXT NOT NULL,
  path TEXT NOT NULL,
  side TEXT NOT NULL,
  line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  quoted TEXT NOT NULL,
  text TEXT NOT NULL,
  ask INTEGER,
  created_at INTEGER NOT NULL,
  reply TEXT,
  replied_by TEXT,
  replied_at INTEGER,
  PRIMARY KEY (change, n)
) WITHOUT ROWID;

CREATE TABLE change_asks (
  change TEXT NOT NULL,
  n INTEGER NOT NULL,
  round INTEGER NOT NULL,
  person TEXT NOT NULL,
  text TEXT NOT NULL,
  mark TEXT NOT NULL,
  session TEXT NOT NULL,
  state TEXT NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0,
  reason TEXT,
  asked_at INTEGER NOT NULL,
  ended_at INTEGER,
  PRIMARY KEY (change, n)
) WITHOUT ROWID;
CREATE INDEX change_asks_open ON change_asks (change, n) WHERE state IN ('waiting', 'sent', 'checking');

CREATE TABLE change_looks (
  change TEXT NOT NULL,
  round INTEGER NOT NULL,
  person TEXT NOT NULL,
  looked_at INTEGER NOT NULL,
  head TEXT NOT NULL,
  decided_at INTEGER,
  decision TEXT,
  PRIMARY KEY (change, round, person)
) WITHOUT ROWID;

CREATE TABLE review_people (
  person TEXT PRIMARY KEY,
  asked INTEGER NOT NULL DEFAULT 0,
  approved INTEGER NOT NULL DEFAULT 0,
  discarded INTEGER NOT NULL DEFAULT 0,
  seconds REAL NOT NULL DEFAULT 0
) WITHOUT ROWID;
