CREATE TABLE pull_request_cursors (
  monitor TEXT PRIMARY KEY,
  source TEXT NOT NULL,
  etag TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  seen TEXT NOT NULL
) WITHOUT ROWID;
