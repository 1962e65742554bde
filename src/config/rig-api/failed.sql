ALTER TABLE rig_clones ADD COLUMN error TEXT;
ALTER TABLE rig_clones ADD COLUMN failed_at INTEGER;
