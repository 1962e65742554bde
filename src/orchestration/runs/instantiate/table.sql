-- Graphs that are being written, in more than one write; the beads of each have numbers in a row.
CREATE TABLE instantiations (
  root_id TEXT PRIMARY KEY,
  prefix TEXT NOT NULL,
  first INTEGER NOT NULL,
  count INTEGER NOT NULL,
  -- `writing` is taken back after a crash; from `opening` on the graph is whole, and its beads are offered one by one.
  state TEXT NOT NULL CHECK (state IN ('writing', 'opening'))
) WITHOUT ROWID;

-- The runs of a convoy, and of a bead in the way of older systems.
CREATE INDEX beads_by_input ON beads (metadata ->> '$."gc.input_convoy_id"')
  WHERE metadata ->> '$."gc.input_convoy_id"' IS NOT NULL;
CREATE INDEX beads_by_source ON beads (metadata ->> '$."gc.source_bead_id"')
  WHERE metadata ->> '$."gc.source_bead_id"' IS NOT NULL;
