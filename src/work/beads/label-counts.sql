-- How many beads have a label, by whose name is on them ('' for nobody's); kept by the triggers below.
DROP TRIGGER bead_labels_gained;
DROP TRIGGER bead_labels_changed;
DROP TRIGGER bead_labels_lost;
DROP TRIGGER bead_labels_over;
DROP TABLE bead_label_counts;
-- Number of beads that have a label, by assignee ('' for none). Triggers keep it.
CREATE TABLE bead_label_counts (
  label TEXT NOT NULL,
  assignee TEXT NOT NULL,
  closed INTEGER NOT NULL,
  rig TEXT NOT NULL,
  type TEXT NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (label, assignee, closed, rig, type)
) WITHOUT ROWID;
INSERT INTO bead_label_counts
  SELECT l.value, b.assignee, b.closed, b.rig, b.type, count(*) FROM beads b, json_each(b.labels) l
  GROUP BY l.value, b.assignee, b.closed, b.rig, b.type;

CREATE TRIGGER bead_labels_gained AFTER INSERT ON beads WHEN new.labels != '[]' BEGIN
  INSERT INTO bead_label_counts
    SELECT value, new.assignee, new.closed, new.rig, new.type, 1 FROM json_each(new.labels) WHERE true
    ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER bead_labels_changed AFTER UPDATE OF labels, assignee, status, rig, type ON beads
WHEN (old.labels != '[]' OR new.labels != '[]') AND
  (old.labels, old.assignee, old.closed, old.rig, old.type) != (new.labels, new.assignee, new.closed, new.rig, new.type)
BEGIN
  INSERT INTO bead_label_counts
    SELECT value, old.assignee, old.closed, old.rig, old.type, -1 FROM json_each(old.labels)
    UNION ALL SELECT value, new.assignee, new.closed, new.rig, new.type, 1 FROM json_each(new.labels) WHERE true
    ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER bead_labels_lost AFTER DELETE ON beads WHEN old.labels != '[]' BEGIN
  INSERT INTO bead_label_counts
    SELECT value, old.assignee, old.closed, old.rig, old.type, -1 FROM json_each(old.labels) WHERE true
    ON CONFLICT DO UPDATE SET n = n - 1;
END;
-- Labels and names that no bead has any more are many: each thread of mail has a label of its own.
CREATE TRIGGER bead_labels_over AFTER UPDATE OF n ON bead_label_counts WHEN new.n = 0 BEGIN
  DELETE FROM bead_label_counts
    WHERE (label, assignee, closed, rig, type) = (new.label, new.assignee, new.closed, new.rig, new.type);
END;
