ALTER TABLE sessions ADD COLUMN confined TEXT;
