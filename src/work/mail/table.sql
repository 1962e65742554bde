CREATE TABLE messages (
  id TEXT PRIMARY KEY,
  thread TEXT NOT NULL,
  reply_to TEXT,
  from_session TEXT,
  from_claimed TEXT,
  to_session TEXT,
  to_display TEXT NOT NULL,
  read INTEGER NOT NULL DEFAULT 0,
  -- The incarnation of a session that was told of it.
  told TEXT,
  -- What its bead says, here for the indexes; kept by the triggers below.
  recipient TEXT NOT NULL,
  open INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX messages_open ON messages (created_at, id) WHERE open = 1;
CREATE INDEX messages_unread ON messages (created_at, id) WHERE open = 1 AND read = 0;
CREATE INDEX messages_inbox ON messages (recipient, created_at, id) WHERE open = 1;
CREATE INDEX messages_inbox_unread ON messages (recipient, created_at, id) WHERE open = 1 AND read = 0;
CREATE INDEX messages_thread ON messages (thread, created_at, id) WHERE open = 1;

-- Open mail by recipient; '' is everyone.
CREATE TABLE mail_counts (
  recipient TEXT PRIMARY KEY,
  total INTEGER NOT NULL,
  unread INTEGER NOT NULL
) WITHOUT ROWID;
-- Threads with open mail by recipient, and the newest open message of the whole thread; '' is everyone.
CREATE TABLE mail_threads (
  thread TEXT NOT NULL,
  recipient TEXT NOT NULL,
  n INTEGER NOT NULL,
  newest_at INTEGER,
  newest TEXT,
  PRIMARY KEY (thread, recipient)
) WITHOUT ROWID;
CREATE INDEX mail_threads_newest ON mail_threads (recipient, newest_at, newest);

CREATE TRIGGER messages_added AFTER INSERT ON messages WHEN new.open = 1 BEGIN
  INSERT INTO mail_counts SELECT '', 1, new.read = 0 UNION SELECT new.recipient, 1, new.read = 0 WHERE 1
    ON CONFLICT DO UPDATE SET total = total + 1, unread = unread + excluded.unread;
  INSERT INTO mail_threads SELECT new.thread, '', 1, NULL, NULL UNION SELECT new.thread, new.recipient, 1, NULL, NULL
    WHERE 1 ON CONFLICT DO UPDATE SET n = n + 1;
  UPDATE mail_threads SET (newest_at, newest) = (
      SELECT created_at, id FROM messages WHERE thread = new.thread AND open = 1 ORDER BY created_at DESC, id DESC LIMIT 1
    ) WHERE thread = new.thread;
END;
CREATE TRIGGER messages_moved AFTER UPDATE OF open, recipient ON messages
WHEN (old.open, old.recipient) != (new.open, new.recipient) BEGIN
  UPDATE mail_counts SET total = total - 1, unread = unread - (old.read = 0)
    WHERE old.open = 1 AND recipient IN ('', old.recipient);
  UPDATE mail_threads SET n = n - 1 WHERE old.open = 1 AND thread = old.thread AND recipient IN ('', old.recipient);
  INSERT INTO mail_counts SELECT '', 1, new.read = 0 WHERE new.open = 1
      UNION SELECT new.recipient, 1, new.read = 0 WHERE new.open = 1
    ON CONFLICT DO UPDATE SET total = total + 1, unread = unread + excluded.unread;
  INSERT INTO mail_threads SELECT new.thread, '', 1, NULL, NULL WHERE new.open = 1
      UNION SELECT new.thread, new.recipient, 1, NULL, NULL WHERE new.open = 1
    ON CONFLICT DO UPDATE SET n = n + 1;
  DELETE FROM mail_counts WHERE recipient IN ('', old.recipient) AND total = 0;
  DELETE FROM mail_threads WHERE thread = old.thread AND n = 0;
  UPDATE mail_threads SET (newest_at, newest) = (
      SELECT created_at, id FROM messages WHERE thread = new.thread AND open = 1 ORDER BY created_at DESC, id DESC LIMIT 1
    ) WHERE thread = new.thread;
END;
CREATE TRIGGER messages_marked AFTER UPDATE OF read ON messages WHEN new.open = 1 AND old.read != new.read BEGIN
  UPDATE mail_counts SET unread = unread + old.read - new.read WHERE recipient IN ('', new.recipient);
END;
CREATE TRIGGER messages_followed AFTER UPDATE OF status, assignee, type ON beads
WHEN 'message' IN (old.type, new.type) BEGIN
  UPDATE messages SET open = new.closed = 0 AND new.type = 'message', recipient = new.assignee WHERE id = new.id;
END;
CREATE TRIGGER messages_removed AFTER DELETE ON beads WHEN old.type = 'message' BEGIN
  UPDATE messages SET open = 0 WHERE id = old.id;
  DELETE FROM messages WHERE id = old.id;
END;
