CREATE INDEX messages_read ON messages (created_at, id) WHERE open = 1 AND read = 1;
CREATE INDEX messages_archived ON messages (created_at, id) WHERE open = 0;
