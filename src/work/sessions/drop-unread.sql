ALTER TABLE session_messages DROP COLUMN reason;
ALTER TABLE session_messages DROP COLUMN created_at;
