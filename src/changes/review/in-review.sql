-- A landing looks for the change of its branch, and for an approval of its commit.
CREATE INDEX changes_in_review ON changes (rig, branch) WHERE state IN ('ready', 'approved');
CREATE INDEX changes_in_review_by_head ON changes (head) WHERE state IN ('ready', 'approved');
