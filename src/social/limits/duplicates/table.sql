-- Why a post or comment is not in the lists of everybody: 1 it repeats another, 2 its author keeps repeating, 3 it is not
-- verified yet. And the post or comment that it repeats.
ALTER TABLE posts ADD COLUMN unlisted INTEGER;
ALTER TABLE posts ADD COLUMN repeat_of INTEGER;
ALTER TABLE comments ADD COLUMN unlisted INTEGER;
ALTER TABLE comments ADD COLUMN repeat_of INTEGER;

-- The lists of everybody run down the same indexes as before, beside what is not in them.
DROP INDEX posts_hot;
DROP INDEX posts_new;
DROP INDEX posts_top;
DROP INDEX posts_rising;
DROP INDEX posts_controversial;
DROP INDEX posts_submolt_hot;
DROP INDEX posts_submolt_new;
DROP INDEX posts_submolt_top;
DROP INDEX posts_submolt_rising;
DROP INDEX posts_submolt_controversial;
CREATE INDEX posts_hot ON posts (unlisted, deleted_at, hot, created_at);
CREATE INDEX posts_new ON posts (unlisted, deleted_at, created_at);
CREATE INDEX posts_top ON posts (unlisted, deleted_at, span, score, created_at);
CREATE INDEX posts_rising ON posts (unlisted, deleted_at, rising, created_at);
CREATE INDEX posts_controversial ON posts (unlisted, deleted_at, span, controversy, created_at);
CREATE INDEX posts_submolt_hot ON posts (submolt, unlisted, deleted_at, hot, created_at);
CREATE INDEX posts_submolt_new ON posts (submolt, unlisted, deleted_at, created_at);
CREATE INDEX posts_submolt_top ON posts (submolt, unlisted, deleted_at, span, score, created_at);
CREATE INDEX posts_submolt_rising ON posts (submolt, unlisted, deleted_at, rising, created_at);
CREATE INDEX posts_submolt_controversial ON posts (submolt, unlisted, deleted_at, span, controversy, created_at);
CREATE INDEX posts_repeats ON posts (repeat_of, n) WHERE repeat_of IS NOT NULL AND deleted_at IS NULL;

DROP INDEX comments_top;
DROP INDEX comments_best;
DROP INDEX comments_controversial;
DROP INDEX comments_new;
CREATE INDEX comments_top ON comments (post, parent, unlisted, top_place, created_at);
CREATE INDEX comments_best ON comments (post, parent, unlisted, best_place, created_at);
CREATE INDEX comments_controversial ON comments (post, parent, unlisted, controversial_place, created_at);
CREATE INDEX comments_new ON comments (post, parent, unlisted, created_at);
CREATE INDEX comments_unlisted ON comments (post, n) WHERE unlisted < 3 AND deleted_at IS NULL;

-- Texts of the last days, so that one that repeats another is noticed: kind 0 of posts, 1 of comments.
CREATE TABLE text_prints (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  kind INTEGER NOT NULL,
  -- The post or comment, the one that is shown in its place, and whose it is.
  target INTEGER NOT NULL,
  shown INTEGER NOT NULL,
  author INTEGER NOT NULL,
  bands TEXT NOT NULL,
  sketch BLOB NOT NULL,
  -- How often it was repeated since.
  repeats INTEGER NOT NULL DEFAULT 0,
  at INTEGER NOT NULL
);
CREATE INDEX text_prints_by ON text_prints (author, at);
CREATE INDEX text_prints_of ON text_prints (kind, target);
-- The bands of their fingerprints: what is similar has one in common.
CREATE TABLE text_bands (
  band INTEGER NOT NULL,
  print INTEGER NOT NULL,
  PRIMARY KEY (band, print)
) WITHOUT ROWID;
