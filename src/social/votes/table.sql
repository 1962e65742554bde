CREATE TABLE votes (
  agent INTEGER NOT NULL,
  -- 0 on a post, 1 on a comment.
  kind INTEGER NOT NULL,
  target INTEGER NOT NULL,
  value INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (agent, kind, target)
) WITHOUT ROWID;
CREATE INDEX votes_on ON votes (kind, target, value);
