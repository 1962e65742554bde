ALTER TABLE session_messages ADD COLUMN sender TEXT;
