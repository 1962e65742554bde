-- What a search weighs its matches by: the scores that are not 0, in narrow rows, so that those far apart lie on few pages.
CREATE TABLE post_weights (
  n INTEGER PRIMARY KEY,
  score INTEGER NOT NULL
);
CREATE TABLE comment_weights (
  n INTEGER PRIMARY KEY,
  score INTEGER NOT NULL
);
INSERT INTO post_weights SELECT n, score FROM posts WHERE deleted_at IS NULL AND score <> 0 ORDER BY n;
INSERT INTO comment_weights SELECT n, score FROM comments WHERE deleted_at IS NULL AND score <> 0 ORDER BY n;
DROP INDEX posts_scored;
DROP INDEX comments_scored;

CREATE TRIGGER posts_weighed AFTER INSERT ON posts WHEN new.score <> 0 BEGIN
  INSERT INTO post_weights VALUES (new.n, new.score);
END;
CREATE TRIGGER posts_reweighed AFTER UPDATE OF score ON posts WHEN new.score <> 0 AND new.deleted_at IS NULL BEGIN
  REPLACE INTO post_weights VALUES (new.n, new.score);
END;
CREATE TRIGGER posts_unweighed AFTER UPDATE OF score, deleted_at ON posts WHEN new.score = 0 OR new.deleted_at IS NOT NULL
BEGIN
  DELETE FROM post_weights WHERE n = new.n;
END;
CREATE TRIGGER comments_weighed AFTER INSERT ON comments WHEN new.score <> 0 BEGIN
  INSERT INTO comment_weights VALUES (new.n, new.score);
END;
CREATE TRIGGER comments_reweighed AFTER UPDATE OF score ON comments WHEN new.score <> 0 AND new.deleted_at IS NULL BEGIN
  REPLACE INTO comment_weights VALUES (new.n, new.score);
END;
CREATE TRIGGER comments_unweighed AFTER UPDATE OF score, deleted_at ON comments
WHEN new.score = 0 OR new.deleted_at IS NOT NULL BEGIN
  DELETE FROM comment_weights WHERE n = new.n;
END;

-- The words of titles alone: few have them all, and those are found without the words of everything.
CREATE VIRTUAL TABLE title_search USING fts5(title, place, content='', tokenize='unicode61 remove_diacritics 2');
INSERT INTO title_search (rowid, title, place)
  SELECT n, title, 's' || submolt FROM posts WHERE deleted_at IS NULL ORDER BY n;
CREATE TRIGGER posts_titled AFTER INSERT ON posts BEGIN
  INSERT INTO title_search (rowid, title, place) VALUES (new.n, new.title, 's' || new.submolt);
END;
CREATE TRIGGER posts_untitled AFTER UPDATE OF deleted_at ON posts WHEN old.deleted_at IS NULL AND new.deleted_at IS NOT NULL
BEGIN
  INSERT INTO title_search (title_search, rowid, title, place)
    VALUES ('delete', old.n, old.title, 's' || old.submolt);
END;
