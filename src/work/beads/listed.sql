-- A list is read with the revisions of its beads from its index alone.
DROP INDEX beads_listed;
CREATE INDEX beads_listed ON beads (closed, created_at, id, revision);
