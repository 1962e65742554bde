-- Drains that have runs to write for members of their convoys.
CREATE TABLE run_drains (
  control_id TEXT PRIMARY KEY
);
