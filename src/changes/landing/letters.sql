-- A letter is a turn of a conversation, and its row says how far that got.
ALTER TABLE landing_letters RENAME TO landing_letters_before;
CREATE TABLE landing_letters (
  landing TEXT NOT NULL,
  try INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('conflict', 'red')),
  -- What the owner merges: the target, with the parents that it was merged by.
  base TEXT NOT NULL,
  candidate TEXT,
  details TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'sent', 'checking', 'delivered', 'reopened', 'failed')),
  mark TEXT NOT NULL,
  session TEXT NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0,
  reason TEXT,
  created_at INTEGER NOT NULL,
  ended_at INTEGER,
  PRIMARY KEY (landing, try, kind)
) WITHOUT ROWID;
INSERT INTO landing_letters
  SELECT b.landing, b.try, b.kind, b.base, b.candidate, b.details,
    iif(l.state = b.kind AND l.try = b.try, 'waiting', 'failed'),
    lower(hex(randomblob(8))), coalesce(l.session, ''), 0, NULL, b.created_at, NULL
  FROM landing_letters_before b LEFT JOIN landings l ON l.id = b.landing;
DROP TABLE landing_letters_before;
CREATE INDEX landing_letters_open ON landing_letters (landing) WHERE state IN ('waiting', 'sent', 'checking');

-- Whether a landing was submitted by the close of its bead, whose worktree nobody has looked at since.
ALTER TABLE landings ADD COLUMN from_close INTEGER NOT NULL DEFAULT 0;

-- What happened to landings so far, by name.
CREATE TABLE landing_totals (
  name TEXT PRIMARY KEY,
  n REAL NOT NULL
) WITHOUT ROWID;
