ALTER TABLE acp_sessions DROP COLUMN mode;
