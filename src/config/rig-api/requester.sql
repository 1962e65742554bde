ALTER TABLE rig_clones ADD COLUMN requester TEXT;
