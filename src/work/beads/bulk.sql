-- While this has a row, what follows from new beads is written for many of them at once, not by the triggers below.
CREATE TABLE bead_bulk (n INTEGER PRIMARY KEY);

DROP TRIGGER beads_added;
CREATE TRIGGER beads_added AFTER INSERT ON beads WHEN NOT EXISTS (SELECT 1 FROM bead_bulk) BEGIN
  INSERT INTO bead_counts VALUES (new.rig, new.type, new.status, 1, new.ready)
    ON CONFLICT DO UPDATE SET n = n + 1, ready = ready + excluded.ready;
  INSERT INTO bead_labels SELECT value, new.closed, new.created_at, new.id FROM json_each(new.labels);
END;
DROP TRIGGER bead_labels_gained;
CREATE TRIGGER bead_labels_gained AFTER INSERT ON beads
WHEN new.labels != '[]' AND NOT EXISTS (SELECT 1 FROM bead_bulk) BEGIN
  INSERT INTO bead_label_counts
    SELECT value, new.assignee, new.closed, new.rig, new.type, 1 FROM json_each(new.labels) WHERE true
    ON CONFLICT DO UPDATE SET n = n + 1;
END;
DROP TRIGGER bead_assignee_gained;
CREATE TRIGGER bead_assignee_gained AFTER INSERT ON beads
WHEN new.assignee != '' AND NOT EXISTS (SELECT 1 FROM bead_bulk) BEGIN
  INSERT INTO bead_assignee_counts VALUES (new.assignee, new.closed, new.rig, new.type, 1)
    ON CONFLICT DO UPDATE SET n = n + 1;
END;

-- These raise the revision themselves: another update of the row to do that would cost as much again.
DROP TRIGGER beads_settled;
CREATE TRIGGER beads_settled AFTER UPDATE OF status ON beads WHEN old.closed != new.closed BEGIN
  UPDATE beads SET blockers = blockers + old.closed - new.closed, revision = revision + 1
    WHERE id IN (SELECT issue_id FROM bead_edges WHERE depends_on_id = new.id AND gating = 1);
END;
DROP TRIGGER bead_edges_added;
CREATE TRIGGER bead_edges_added AFTER INSERT ON bead_edges BEGIN
  UPDATE beads SET edges = edges + 1, revision = revision + 1, blockers = blockers +
      (new.gating AND NOT EXISTS (SELECT 1 FROM beads t WHERE t.id = new.depends_on_id AND t.closed = 1))
    WHERE id = new.issue_id;
END;
DROP TRIGGER bead_edges_removed;
CREATE TRIGGER bead_edges_removed AFTER DELETE ON bead_edges BEGIN
  UPDATE beads SET edges = edges - 1, revision = revision + 1, blockers = blockers -
      (old.gating AND NOT EXISTS (SELECT 1 FROM beads t WHERE t.id = old.depends_on_id AND t.closed = 1))
    WHERE id = old.issue_id;
END;
