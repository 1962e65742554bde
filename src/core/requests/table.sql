-- Requests that were accepted and are not finished.
CREATE TABLE requests (
  id TEXT PRIMARY KEY,
  operation TEXT NOT NULL,
  subject TEXT NOT NULL,
  detail TEXT NOT NULL,
  accepted_at INTEGER NOT NULL
) WITHOUT ROWID;
