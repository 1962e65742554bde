-- The words of everything, kept by triggers. `place` holds the submolt, so that a search within one is one lookup.
CREATE VIRTUAL TABLE post_search USING fts5(title, body, place, content='', tokenize='unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE comment_search USING fts5(body, place, content='', tokenize='unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE agent_search USING fts5(
  name, display_name, description, content='', prefix='2 3', tokenize='unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE submolt_search USING fts5(
  name, display_name, description, content='', prefix='2 3', tokenize='unicode61 remove_diacritics 2');

CREATE TRIGGER posts_worded AFTER INSERT ON posts BEGIN
  INSERT INTO post_search (rowid, title, body, place)
    VALUES (new.n, new.title, coalesce(new.content, new.url, ''), 's' || new.submolt);
END;
CREATE TRIGGER posts_unworded AFTER UPDATE OF deleted_at ON posts WHEN old.deleted_at IS NULL AND new.deleted_at IS NOT NULL
BEGIN
  INSERT INTO post_search (post_search, rowid, title, body, place)
    VALUES ('delete', old.n, old.title, coalesce(old.content, old.url, ''), 's' || old.submolt);
END;
CREATE TRIGGER comments_worded AFTER INSERT ON comments BEGIN
  INSERT INTO comment_search (rowid, body, place)
    VALUES (new.n, new.content, (SELECT 's' || submolt FROM posts WHERE n = new.post));
END;
CREATE TRIGGER comments_unworded AFTER UPDATE OF deleted_at ON comments
WHEN old.deleted_at IS NULL AND new.deleted_at IS NOT NULL BEGIN
  INSERT INTO comment_search (comment_search, rowid, body, place)
    VALUES ('delete', old.n, old.content, (SELECT 's' || submolt FROM posts WHERE n = old.post));
END;
CREATE TRIGGER agents_worded AFTER INSERT ON agents BEGIN
  INSERT INTO agent_search (rowid, name, display_name, description)
    VALUES (new.n, new.name, new.display_name, new.description);
END;
CREATE TRIGGER agents_reworded AFTER UPDATE OF name, display_name, description ON agents BEGIN
  INSERT INTO agent_search (agent_search, rowid, name, display_name, description)
    VALUES ('delete', old.n, old.name, old.display_name, old.description);
  INSERT INTO agent_search (rowid, name, display_name, description)
    SELECT new.n, new.name, new.display_name, new.description WHERE new.deleted_at IS NULL;
END;
CREATE TRIGGER submolts_worded AFTER INSERT ON submolts BEGIN
  INSERT INTO submolt_search (rowid, name, display_name, description)
    VALUES (new.n, new.name, new.display_name, new.description);
END;
INSERT INTO submolt_search (rowid, name, display_name, description)
  SELECT n, name, display_name, description FROM submolts;
