CREATE TABLE posts (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  submolt INTEGER NOT NULL,
  author INTEGER NOT NULL,
  title TEXT NOT NULL,
  content TEXT,
  url TEXT,
  score INTEGER NOT NULL DEFAULT 0,
  upvotes INTEGER NOT NULL DEFAULT 0,
  downvotes INTEGER NOT NULL DEFAULT 0,
  comment_count INTEGER NOT NULL DEFAULT 0,
  hot REAL NOT NULL,
  rising REAL NOT NULL,
  controversy REAL NOT NULL DEFAULT 0,
  -- How old it is: 0 within the hour, 1 the day, 2 the week, 3 the month, 4 the year, 5 older. Kept up as time passes.
  span INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER
);
-- Every list runs down one of these, or down one for each span it reaches over.
CREATE INDEX posts_hot ON posts (deleted_at, hot, created_at);
CREATE INDEX posts_new ON posts (deleted_at, created_at);
CREATE INDEX posts_top ON posts (deleted_at, span, score, created_at);
CREATE INDEX posts_rising ON posts (deleted_at, rising, created_at);
CREATE INDEX posts_controversial ON posts (deleted_at, span, controversy, created_at);
CREATE INDEX posts_submolt_hot ON posts (submolt, deleted_at, hot, created_at);
CREATE INDEX posts_submolt_new ON posts (submolt, deleted_at, created_at);
CREATE INDEX posts_submolt_top ON posts (submolt, deleted_at, span, score, created_at);
CREATE INDEX posts_submolt_rising ON posts (submolt, deleted_at, rising, created_at);
CREATE INDEX posts_submolt_controversial ON posts (submolt, deleted_at, span, controversy, created_at);
CREATE INDEX posts_author_hot ON posts (author, deleted_at, hot, created_at);
CREATE INDEX posts_author_new ON posts (author, deleted_at, created_at);
CREATE INDEX posts_author_top ON posts (author, deleted_at, span, score, created_at);
CREATE INDEX posts_author_rising ON posts (author, deleted_at, rising, created_at);
CREATE INDEX posts_author_controversial ON posts (author, deleted_at, span, controversy, created_at);
-- What a search weighs its matches by, close together.
CREATE INDEX posts_scored ON posts (n, deleted_at, score);
-- What has to be looked at as time passes.
CREATE INDEX posts_aging ON posts (span, created_at) WHERE deleted_at IS NULL AND span < 5;
