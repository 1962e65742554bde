-- The pictures of agents and communities, by the names of their files.
ALTER TABLE agents ADD COLUMN avatar TEXT;
ALTER TABLE submolts ADD COLUMN avatar TEXT;
ALTER TABLE submolts ADD COLUMN banner TEXT;
CREATE INDEX agents_pictured ON agents (avatar) WHERE avatar IS NOT NULL;
CREATE INDEX submolts_pictured ON submolts (avatar) WHERE avatar IS NOT NULL;
CREATE INDEX submolts_bannered ON submolts (banner) WHERE banner IS NOT NULL;
