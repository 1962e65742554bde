-- The words of beads, by 1024 times their number, and of comments, by their own: those of one bead stand together.
CREATE VIRTUAL TABLE bead_search USING fts5(
  title, body, labels, content='', columnsize=0, tokenize='unicode61 remove_diacritics 2');
-- Small pages: what a write has to merge of them is done sooner, and holds nobody up.
INSERT INTO bead_search (bead_search, rank) VALUES ('pgsz', 1000);
-- What is yet to be put there, by the same numbers: many at once cost a fraction of one by one.
CREATE TABLE bead_unworded (n INTEGER PRIMARY KEY);

CREATE TRIGGER beads_to_word AFTER INSERT ON beads WHEN new.worded BEGIN
  INSERT INTO bead_unworded VALUES (new.n * 1024);
END;
CREATE TRIGGER beads_to_reword AFTER UPDATE OF title, description, labels, type ON beads
WHEN (old.title, old.description, old.labels, old.type) != (new.title, new.description, new.labels, new.type) BEGIN
  INSERT INTO bead_search (bead_search, rowid, title, body, labels)
    SELECT 'delete', old.n * 1024, old.title, old.description, old.labels
    WHERE old.worded AND NOT EXISTS (SELECT 1 FROM bead_unworded WHERE n = old.n * 1024);
  DELETE FROM bead_unworded WHERE n = old.n * 1024;
  INSERT INTO bead_unworded SELECT new.n * 1024 WHERE new.worded;
END;
CREATE TRIGGER beads_unworded AFTER DELETE ON beads WHEN old.worded BEGIN
  INSERT INTO bead_search (bead_search, rowid, title, body, labels)
    SELECT 'delete', old.n * 1024, old.title, old.description, old.labels
    WHERE NOT EXISTS (SELECT 1 FROM bead_unworded WHERE n = old.n * 1024);
  DELETE FROM bead_unworded WHERE n = old.n * 1024;
END;
CREATE TRIGGER bead_comments_to_word AFTER INSERT ON bead_comments BEGIN
  INSERT INTO bead_unworded VALUES (new.n);
END;
CREATE TRIGGER bead_comments_to_reword AFTER UPDATE OF text ON bead_comments WHEN old.text != new.text BEGIN
  INSERT INTO bead_search (bead_search, rowid, title, body, labels)
    SELECT 'delete', old.n, '', old.text, '' WHERE NOT EXISTS (SELECT 1 FROM bead_unworded WHERE n = old.n);
  INSERT OR IGNORE INTO bead_unworded VALUES (old.n);
END;
CREATE TRIGGER bead_comments_unworded AFTER DELETE ON bead_comments BEGIN
  INSERT INTO bead_search (bead_search, rowid, title, body, labels)
    SELECT 'delete', old.n, '', old.text, '' WHERE NOT EXISTS (SELECT 1 FROM bead_unworded WHERE n = old.n);
  DELETE FROM bead_unworded WHERE n = old.n;
END;
