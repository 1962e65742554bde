-- Communities by what was last written in them.
CREATE INDEX submolts_active ON submolts (last_activity_at, n);
