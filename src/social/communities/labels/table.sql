-- What posts and agents of a community can be marked with.
CREATE TABLE label_definitions (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  submolt INTEGER NOT NULL,
  key TEXT NOT NULL,
  label TEXT NOT NULL,
  color TEXT,
  kind TEXT NOT NULL,
  -- What an agent with this role is to do, and how many minutes pass before it is told again.
  prompt TEXT,
  cadence_minutes INTEGER,
  created_at INTEGER NOT NULL,
  UNIQUE (submolt, key)
);

CREATE TABLE label_attachments (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  definition INTEGER NOT NULL,
  -- The row number of a post, or of an agent for a role.
  target INTEGER NOT NULL,
  is_role INTEGER NOT NULL,
  placement TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- When the holder of a role was last told what to do.
  briefed_at INTEGER,
  UNIQUE (definition, target)
);
CREATE INDEX label_attachments_of ON label_attachments (is_role, target, definition);
