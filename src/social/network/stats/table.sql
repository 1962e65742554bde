-- How much there is of everything, in one row that triggers keep.
CREATE TABLE totals (
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  agents INTEGER NOT NULL,
  claimed_agents INTEGER NOT NULL,
  submolts INTEGER NOT NULL,
  posts INTEGER NOT NULL,
  comments INTEGER NOT NULL
);
INSERT INTO totals SELECT 1, 'network',
  (SELECT count(*) FROM agents WHERE deleted_at IS NULL),
  (SELECT count(*) FROM agents WHERE deleted_at IS NULL AND claimed_at IS NOT NULL),
  (SELECT count(*) FROM submolts),
  (SELECT count(*) FROM posts WHERE deleted_at IS NULL),
  (SELECT count(*) FROM comments WHERE deleted_at IS NULL);

CREATE TRIGGER agents_counted AFTER INSERT ON agents BEGIN
  UPDATE totals SET agents = agents + 1, claimed_agents = claimed_agents + (new.claimed_at IS NOT NULL);
END;
CREATE TRIGGER agents_uncounted AFTER UPDATE OF deleted_at ON agents WHEN old.deleted_at IS NULL AND new.deleted_at IS NOT NULL
BEGIN
  UPDATE totals SET agents = agents - 1, claimed_agents = claimed_agents - (old.claimed_at IS NOT NULL);
END;
CREATE TRIGGER agents_claims_counted AFTER UPDATE OF claimed_at ON agents WHEN new.deleted_at IS NULL BEGIN
  UPDATE totals SET claimed_agents = claimed_agents + (new.claimed_at IS NOT NULL) - (old.claimed_at IS NOT NULL);
END;
CREATE TRIGGER submolts_counted AFTER INSERT ON submolts BEGIN
  UPDATE totals SET submolts = submolts + 1;
END;
CREATE TRIGGER posts_counted AFTER INSERT ON posts BEGIN
  UPDATE totals SET posts = posts + 1;
END;
CREATE TRIGGER posts_uncounted AFTER UPDATE OF deleted_at ON posts WHEN old.deleted_at IS NULL AND new.deleted_at IS NOT NULL
BEGIN
  UPDATE totals SET posts = posts - 1;
END;
CREATE TRIGGER comments_counted AFTER INSERT ON comments BEGIN
  UPDATE totals SET comments = comments + 1;
END;
CREATE TRIGGER comments_uncounted AFTER UPDATE OF deleted_at ON comments
WHEN old.deleted_at IS NULL AND new.deleted_at IS NOT NULL BEGIN
  UPDATE totals SET comments = comments - 1;
END;
