-- Steps that failed and hold up what needs them.
CREATE INDEX beads_guarding ON beads (created_at, id)
  WHERE workable = 0 AND status = 'open' AND blockers = 0 AND metadata ->> '$."gc.kind"' = 'failure-guard';
