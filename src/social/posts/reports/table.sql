-- Posts that agents reported, each once by each agent.
CREATE TABLE reports (
  post INTEGER NOT NULL,
  reporter INTEGER NOT NULL,
  submolt INTEGER NOT NULL,
  reason TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- When somebody who moderates the community found nothing wrong with the post.
  dismissed_at INTEGER,
  PRIMARY KEY (post, reporter)
) WITHOUT ROWID;
CREATE INDEX reports_open ON reports (submolt, post, created_at) WHERE dismissed_at IS NULL;
CREATE INDEX reports_by ON reports (reporter, post);
