-- How long the last checks of a rig took, for the time by which one that runs usually ends.
CREATE INDEX landing_checks_timed ON landing_checks (rig, ended_at) WHERE verdict IN ('green', 'red');
