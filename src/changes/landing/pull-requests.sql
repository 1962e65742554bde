-- Landings by pull request, as the one that follows them last saw them. What was proposed before is kept with them.
CREATE TABLE landing_pull_requests (
  landing TEXT PRIMARY KEY,
  rig TEXT NOT NULL,
  -- Counts the branches at the remote that the landing had.
  round INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'ended')),
  proposal TEXT NOT NULL,
  -- When it is looked at again.
  due INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX landing_pull_requests_open ON landing_pull_requests (rig) WHERE state = 'open';
