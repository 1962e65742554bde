CREATE TABLE worktrees (
  session TEXT PRIMARY KEY,
  rig TEXT NOT NULL,
  repository TEXT NOT NULL,
  path TEXT NOT NULL,
  branch TEXT NOT NULL,
  base TEXT NOT NULL,
  bead TEXT,
  created_at INTEGER NOT NULL,
  kept TEXT
) WITHOUT ROWID;
