-- How many beads have a label, and how many somebody's name on them; kept by the triggers below.
CREATE TABLE bead_label_counts (
  label TEXT NOT NULL,
  closed INTEGER NOT NULL,
  rig TEXT NOT NULL,
  type TEXT NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (label, closed, rig, type)
) WITHOUT ROWID;
INSERT INTO bead_label_counts
  SELECT l.value, b.closed, b.rig, b.type, count(*) FROM beads b, json_each(b.labels) l
  GROUP BY l.value, b.closed, b.rig, b.type;
-- Number of beads that have an assignee. Triggers keep it.
CREATE TABLE bead_assignee_counts (
  assignee TEXT NOT NULL,
  closed INTEGER NOT NULL,
  rig TEXT NOT NULL,
  type TEXT NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (assignee, closed, rig, type)
) WITHOUT ROWID;
INSERT INTO bead_assignee_counts
  SELECT assignee, closed, rig, type, count(*) FROM beads WHERE assignee != '' GROUP BY assignee, closed, rig, type;

CREATE TRIGGER bead_labels_gained AFTER INSERT ON beads WHEN new.labels != '[]' BEGIN
  INSERT INTO bead_label_counts
    SELECT value, new.closed, new.rig, new.type, 1 FROM json_each(new.labels) WHERE true
    ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER bead_labels_changed AFTER UPDATE OF labels, status, rig, type ON beads
WHEN (old.labels, old.closed, old.rig, old.type) != (new.labels, new.closed, new.rig, new.type) BEGIN
  INSERT INTO bead_label_counts
    SELECT value, old.closed, old.rig, old.type, -1 FROM json_each(old.labels)
    UNION ALL SELECT value, new.closed, new.rig, new.type, 1 FROM json_each(new.labels) WHERE true
    ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER bead_labels_lost AFTER DELETE ON beads WHEN old.labels != '[]' BEGIN
  INSERT INTO bead_label_counts
    SELECT value, old.closed, old.rig, old.type, -1 FROM json_each(old.labels) WHERE true
    ON CONFLICT DO UPDATE SET n = n - 1;
END;
-- Labels and names that no bead has any more are many: each thread of mail has a label of its own.
CREATE TRIGGER bead_labels_over AFTER UPDATE OF n ON bead_label_counts WHEN new.n = 0 BEGIN
  DELETE FROM bead_label_counts
    WHERE label = new.label AND closed = new.closed AND rig = new.rig AND type = new.type;
END;

CREATE TRIGGER bead_assignee_gained AFTER INSERT ON beads WHEN new.assignee != '' BEGIN
  INSERT INTO bead_assignee_counts VALUES (new.assignee, new.closed, new.rig, new.type, 1)
    ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER bead_assignee_changed AFTER UPDATE OF assignee, status, rig, type ON beads
WHEN (old.assignee, old.closed, old.rig, old.type) != (new.assignee, new.closed, new.rig, new.type) BEGIN
  INSERT INTO bead_assignee_counts
    SELECT old.assignee, old.closed, old.rig, old.type, -1 WHERE old.assignee != ''
    UNION ALL SELECT new.assignee, new.closed, new.rig, new.type, 1 WHERE new.assignee != ''
    ON CONFLICT DO UPDATE SET n = n + excluded.n;
END;
CREATE TRIGGER bead_assignee_lost AFTER DELETE ON beads WHEN old.assignee != '' BEGIN
  INSERT INTO bead_assignee_counts VALUES (old.assignee, old.closed, old.rig, old.type, -1)
    ON CONFLICT DO UPDATE SET n = n - 1;
END;
CREATE TRIGGER bead_assignee_over AFTER UPDATE OF n ON bead_assignee_counts WHEN new.n = 0 BEGIN
  DELETE FROM bead_assignee_counts
    WHERE assignee = new.assignee AND closed = new.closed AND rig = new.rig AND type = new.type;
END;
