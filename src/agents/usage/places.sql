-- The sessions whose logs were not read to their end yet. Earlier versions knew one log of each, which they counted up to
-- this position of this file.
CREATE TABLE usage_places (
  session_id TEXT PRIMARY KEY,
  file TEXT NOT NULL,
  offset INTEGER NOT NULL
) WITHOUT ROWID;
