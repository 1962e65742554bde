-- The roots of runs that go on, by what they were launched for: a run may come to drain another convoy.
CREATE INDEX beads_by_launch ON beads (metadata ->> '$."gc.graphv2_root_key"')
  WHERE metadata ->> '$."gc.graphv2_root_key"' IS NOT NULL AND closed = 0;
