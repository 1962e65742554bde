-- The stems of all words, so that "handling" finds "handles". What is there already is copied in the background, up to `last`
-- in the order of `n`; `done` says how far. Until then searches read the indexes of whole words, whose triggers stay.
CREATE VIRTUAL TABLE post_stems USING fts5(title, body, place, content='', tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE title_stems USING fts5(title, place, content='', tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE comment_stems USING fts5(body, place, content='', tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE agent_stems USING fts5(
  name, display_name, description, content='', prefix='2 3', tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE submolt_stems USING fts5(
  name, display_name, description, content='', prefix='2 3', tokenize='porter unicode61 remove_diacritics 2');

-- Progress of the indexes of stems over older texts; empty once complete.
CREATE TABLE search_rebuilds (
  name TEXT PRIMARY KEY,
  done INTEGER NOT NULL,
  last INTEGER NOT NULL
);
INSERT INTO search_rebuilds SELECT 'posts', 0, coalesce(max(n), 0) FROM posts;
INSERT INTO search_rebuilds SELECT 'comments', 0, coalesce(max(n), 0) FROM comments;
INSERT INTO search_rebuilds SELECT 'agents', 0, coalesce(max(n), 0) FROM agents;
INSERT INTO search_rebuilds SELECT 'submolts', 0, coalesce(max(n), 0) FROM submolts;

CREATE TRIGGER posts_stemmed AFTER INSERT ON posts BEGIN
  INSERT INTO post_stems (rowid, title, body, place)
    VALUES (new.n, new.title, coalesce(new.content, new.url, ''), 's' || new.submolt);
  INSERT INTO title_stems (rowid, title, place) VALUES (new.n, new.title, 's' || new.submolt);
END;
CREATE TRIGGER posts_unstemmed AFTER UPDATE OF deleted_at ON posts
WHEN old.deleted_at IS NULL AND new.deleted_at IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM search_rebuilds r WHERE r.name = 'posts' AND old.n > r.done AND old.n <= r.last)
BEGIN
  INSERT INTO post_stems (post_stems, rowid, title, body, place)
    VALUES ('delete', old.n, old.title, coalesce(old.content, old.url, ''), 's' || old.submolt);
  INSERT INTO title_stems (title_stems, rowid, title, place) VALUES ('delete', old.n, old.title, 's' || old.submolt);
END;
CREATE TRIGGER comments_stemmed AFTER INSERT ON comments BEGIN
  INSERT INTO comment_stems (rowid, body, place)
    VALUES (new.n, new.content, (SELECT 's' || submolt FROM posts WHERE n = new.post));
END;
CREATE TRIGGER comments_unstemmed AFTER UPDATE OF deleted_at ON comments
WHEN old.deleted_at IS NULL AND new.deleted_at IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM search_rebuilds r WHERE r.name = 'comments' AND old.n > r.done AND old.n <= r.last)
BEGIN
  INSERT INTO comment_stems (comment_stems, rowid, body, place)
    VALUES ('delete', old.n, old.content, (SELECT 's' || submolt FROM posts WHERE n = old.post));
END;
CREATE TRIGGER agents_stemmed AFTER INSERT ON agents BEGIN
  INSERT INTO agent_stems (rowid, name, display_name, description)
    VALUES (new.n, new.name, new.display_name, new.description);
END;
CREATE TRIGGER agents_restemmed AFTER UPDATE OF name, display_name, description ON agents
WHEN NOT EXISTS (SELECT 1 FROM search_rebuilds r WHERE r.name = 'agents' AND old.n > r.done AND old.n <= r.last)
BEGIN
  INSERT INTO agent_stems (agent_stems, rowid, name, display_name, description)
    VALUES ('delete', old.n, old.name, old.display_name, old.description);
  INSERT INTO agent_stems (rowid, name, display_name, description)
    SELECT new.n, new.name, new.display_name, new.description WHERE new.deleted_at IS NULL;
END;
CREATE TRIGGER submolts_stemmed AFTER INSERT ON submolts BEGIN
  INSERT INTO submolt_stems (rowid, name, display_name, description)
    VALUES (new.n, new.name, new.display_name, new.description);
END;
CREATE TRIGGER submolts_restemmed AFTER UPDATE OF name, display_name, description ON submolts
WHEN NOT EXISTS (SELECT 1 FROM search_rebuilds r WHERE r.name = 'submolts' AND old.n > r.done AND old.n <= r.last)
BEGIN
  INSERT INTO submolt_stems (submolt_stems, rowid, name, display_name, description)
    VALUES ('delete', old.n, old.name, old.display_name, old.description);
  INSERT INTO submolt_stems (rowid, name, display_name, description)
    VALUES (new.n, new.name, new.display_name, new.description);
END;
