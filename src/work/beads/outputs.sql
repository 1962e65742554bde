-- What steps hand on: the metadata of such a bead has null in place of it.
CREATE TABLE bead_outputs (
  n INTEGER PRIMARY KEY,
  output TEXT NOT NULL
);
CREATE TRIGGER bead_outputs_over AFTER DELETE ON beads WHEN instr(old.metadata, '"gc.output_json":null') > 0 BEGIN
  DELETE FROM bead_outputs WHERE n = old.n;
END;
