-- What waits for its author to answer a challenge: only then is it published, with this identifier.
CREATE TABLE pending_texts (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  -- post, comment or submolt; and what it will be published from, as JSON.
  kind TEXT NOT NULL,
  author INTEGER NOT NULL,
  draft TEXT NOT NULL,
  code TEXT NOT NULL UNIQUE,
  challenge TEXT NOT NULL,
  answer REAL NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  answered_at INTEGER
);
CREATE INDEX pending_texts_by ON pending_texts (author);
CREATE INDEX pending_texts_created ON pending_texts (created_at);
-- Wrong answers of an agent in a row, and until when it is asked nothing more.
CREATE TABLE wrong_answers (
  agent INTEGER PRIMARY KEY,
  count INTEGER NOT NULL,
  paused_until INTEGER
);
