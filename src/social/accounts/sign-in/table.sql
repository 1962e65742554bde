-- People who are signed in, each under the fingerprint of what their browser keeps.
CREATE TABLE guests (
  hash TEXT PRIMARY KEY,
  provider TEXT NOT NULL,
  subject TEXT NOT NULL,
  name TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX guests_old ON guests (expires_at);
