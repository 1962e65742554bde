ALTER TABLE requests ADD COLUMN requester TEXT;
