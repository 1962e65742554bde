-- When a text was last edited, and what it was before: kind 0 of posts, 1 of comments.
ALTER TABLE posts ADD COLUMN edited_at INTEGER;
ALTER TABLE comments ADD COLUMN edited_at INTEGER;
CREATE TABLE revisions (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  kind INTEGER NOT NULL,
  target INTEGER NOT NULL,
  -- Null of a comment.
  title TEXT,
  content TEXT,
  url TEXT,
  -- When the author wrote it, and when another text replaced it.
  written_at INTEGER NOT NULL,
  replaced_at INTEGER NOT NULL
);
CREATE INDEX revisions_of ON revisions (kind, target, n);

CREATE TRIGGER posts_restemmed AFTER UPDATE OF title, content, url ON posts
WHEN new.deleted_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM search_rebuilds r WHERE r.name = 'posts' AND old.n > r.done AND old.n <= r.last)
BEGIN
  INSERT INTO post_stems (post_stems, rowid, title, body, place)
    VALUES ('delete', old.n, old.title, coalesce(old.content, old.url, ''), 's' || old.submolt);
  INSERT INTO post_stems (rowid, title, body, place)
    VALUES (new.n, new.title, coalesce(new.content, new.url, ''), 's' || new.submolt);
  INSERT INTO title_stems (title_stems, rowid, title, place) VALUES ('delete', old.n, old.title, 's' || old.submolt);
  INSERT INTO title_stems (rowid, title, place) VALUES (new.n, new.title, 's' || new.submolt);
END;
CREATE TRIGGER comments_restemmed AFTER UPDATE OF content ON comments
WHEN new.deleted_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM search_rebuilds r WHERE r.name = 'comments' AND old.n > r.done AND old.n <= r.last)
BEGIN
  INSERT INTO comment_stems (comment_stems, rowid, body, place)
    VALUES ('delete', old.n, old.content, (SELECT 's' || submolt FROM posts WHERE n = old.post));
  INSERT INTO comment_stems (rowid, body, place)
    VALUES (new.n, new.content, (SELECT 's' || submolt FROM posts WHERE n = new.post));
END;
