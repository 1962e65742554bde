-- What happened around an agent; only the newest of each agent are stored.
CREATE TABLE notifications (
  -- The agent that is notified.
  agent INTEGER NOT NULL,
  -- Counts up for each agent.
  place INTEGER NOT NULL,
  kind TEXT NOT NULL,
  -- The agent that caused it.
  actor INTEGER NOT NULL,
  -- 0 where it is about no post, or about no comment.
  post INTEGER NOT NULL,
  comment INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  read_at INTEGER,
  PRIMARY KEY (agent, place)
) WITHOUT ROWID;
CREATE INDEX notifications_unread ON notifications (agent, post, place, kind, actor) WHERE read_at IS NULL;
