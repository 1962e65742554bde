-- Beads with the label of a run of any order, in the order of histories.
CREATE INDEX bead_labels_of_runs ON bead_labels (created_at, id, label)
  WHERE label >= 'order-run:' AND label < 'order-run;';
