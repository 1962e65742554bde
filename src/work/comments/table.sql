CREATE TABLE bead_comments (
  -- 1024 times the number of its bead, and which comment of the bead it is: 1, 2 …
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  author TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- Bytes of the text.
  size INTEGER NOT NULL,
  text TEXT NOT NULL
);

CREATE TRIGGER beads_uncommented AFTER DELETE ON beads BEGIN
  DELETE FROM bead_comments WHERE n BETWEEN old.n * 1024 AND old.n * 1024 + 1023;
END;
