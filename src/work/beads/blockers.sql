-- `blockers` counts beads: several dependencies on one bead, of different types, count once. What was counted otherwise is
-- corrected when this version opens the database.
DROP TRIGGER bead_edges_added;
CREATE TRIGGER bead_edges_added AFTER INSERT ON bead_edges BEGIN
  UPDATE beads SET edges = edges + 1, revision = revision + 1, blockers = blockers +
      (new.gating AND NOT EXISTS (SELECT 1 FROM beads t WHERE t.id = new.depends_on_id AND t.closed = 1)
        AND NOT EXISTS (SELECT 1 FROM bead_edges o WHERE o.issue_id = new.issue_id
          AND o.depends_on_id = new.depends_on_id AND o.type != new.type AND o.gating = 1))
    WHERE id = new.issue_id;
END;
DROP TRIGGER bead_edges_removed;
CREATE TRIGGER bead_edges_removed AFTER DELETE ON bead_edges BEGIN
  UPDATE beads SET edges = edges - 1, revision = revision + 1, blockers = blockers -
      (old.gating AND NOT EXISTS (SELECT 1 FROM beads t WHERE t.id = old.depends_on_id AND t.closed = 1)
        AND NOT EXISTS (SELECT 1 FROM bead_edges o WHERE o.issue_id = old.issue_id
          AND o.depends_on_id = old.depends_on_id AND o.gating = 1))
    WHERE id = old.issue_id;
END;
DROP TRIGGER beads_removed;
CREATE TRIGGER beads_removed AFTER DELETE ON beads BEGIN
  UPDATE bead_counts SET n = n - 1, ready = ready - old.ready
    WHERE rig = old.rig AND type = old.type AND status = old.status;
  DELETE FROM bead_labels WHERE id = old.id AND closed = old.closed AND created_at = old.created_at
    AND label IN (SELECT value FROM json_each(old.labels));
  DELETE FROM bead_edges WHERE issue_id = old.id;
  UPDATE beads SET blockers = blockers + 1, revision = revision + 1
    WHERE old.closed AND id IN (SELECT issue_id FROM bead_edges WHERE depends_on_id = old.id AND gating = 1);
END;
-- A bead that was missing blocks what depends on it; one that is inserted closed no longer does.
CREATE TRIGGER beads_added_closed AFTER INSERT ON beads WHEN new.closed BEGIN
  UPDATE beads SET blockers = blockers - 1, revision = revision + 1
    WHERE id IN (SELECT issue_id FROM bead_edges WHERE depends_on_id = new.id AND gating = 1);
END;
