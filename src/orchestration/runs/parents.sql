-- The run that has a drain which started this one for a member of its convoy.
ALTER TABLE runs ADD COLUMN parent_id TEXT;
CREATE INDEX runs_by_parent ON runs (parent_id, list_rank, root_id) WHERE parent_id IS NOT NULL;
UPDATE runs SET parent_id = (
  SELECT control.metadata ->> '$."gc.root_bead_id"' FROM beads root
    JOIN beads control ON control.id = root.metadata ->> '$."gc.drain_control_id"'
  WHERE root.id = runs.root_id);

-- The run with which a person paused this one.
ALTER TABLE run_holds ADD COLUMN held_with TEXT;
CREATE INDEX run_holds_with ON run_holds (held_with) WHERE held_with IS NOT NULL;
