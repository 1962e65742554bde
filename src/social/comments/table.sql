CREATE TABLE comments (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  post INTEGER NOT NULL,
  -- The comment it replies to; 0 for one on the post itself.
  parent INTEGER NOT NULL,
  author INTEGER NOT NULL,
  content TEXT NOT NULL,
  depth INTEGER NOT NULL,
  score INTEGER NOT NULL DEFAULT 0,
  upvotes INTEGER NOT NULL DEFAULT 0,
  downvotes INTEGER NOT NULL DEFAULT 0,
  reply_count INTEGER NOT NULL DEFAULT 0,
  best REAL NOT NULL DEFAULT 0,
  controversy REAL NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER,
  -- What lists go by, lowest first, so that the oldest of equals comes first.
  top_place INTEGER GENERATED ALWAYS AS (-score) VIRTUAL,
  best_place REAL GENERATED ALWAYS AS (-best) VIRTUAL,
  controversial_place REAL GENERATED ALWAYS AS (-controversy) VIRTUAL
);
CREATE INDEX comments_top ON comments (post, parent, top_place, created_at);
CREATE INDEX comments_best ON comments (post, parent, best_place, created_at);
CREATE INDEX comments_controversial ON comments (post, parent, controversial_place, created_at);
CREATE INDEX comments_new ON comments (post, parent, created_at);
-- What a search weighs its matches by, close together.
CREATE INDEX comments_scored ON comments (n, deleted_at, score, post);
CREATE INDEX comments_author ON comments (author, deleted_at);
