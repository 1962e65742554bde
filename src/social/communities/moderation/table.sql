-- Who moderates a community besides its owner.
CREATE TABLE moderators (
  submolt INTEGER NOT NULL,
  agent INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (submolt, agent)
) WITHOUT ROWID;
CREATE INDEX moderators_of ON moderators (agent, submolt);

ALTER TABLE submolts ADD COLUMN rules TEXT NOT NULL DEFAULT '';
ALTER TABLE submolts ADD COLUMN banner_color TEXT;
ALTER TABLE submolts ADD COLUMN theme_color TEXT;

ALTER TABLE posts ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
CREATE INDEX posts_pinned ON posts (submolt, n) WHERE pinned = 1 AND deleted_at IS NULL;
