CREATE TABLE usage_places (
  session_id TEXT PRIMARY KEY,
  file TEXT NOT NULL,
  offset INTEGER NOT NULL
) WITHOUT ROWID;
