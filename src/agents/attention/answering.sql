CREATE TABLE attention_mutes (
  kind TEXT PRIMARY KEY,
  until INTEGER,
  by TEXT NOT NULL,
  since INTEGER NOT NULL
) WITHOUT ROWID;

-- The rule that answered a question.
ALTER TABLE questions ADD COLUMN rule TEXT;

-- How often each rule answered.
CREATE TABLE rule_uses (
  rule TEXT PRIMARY KEY,
  uses INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL
) WITHOUT ROWID;

-- How often people allowed the same of an agent, one time after the other.
CREATE TABLE answered_alike (
  agent TEXT NOT NULL,
  subject TEXT NOT NULL,
  n INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (agent, subject)
) WITHOUT ROWID;
CREATE INDEX answered_alike_last ON answered_alike (last_at);
