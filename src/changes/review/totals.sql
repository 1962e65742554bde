-- Answers of models without a known price, at the decision.
ALTER TABLE changes ADD COLUMN unpriced INTEGER;

CREATE TABLE change_totals (
  rig TEXT NOT NULL,
  agent TEXT NOT NULL,
  approved INTEGER NOT NULL DEFAULT 0,
  landed INTEGER NOT NULL DEFAULT 0,
  discarded INTEGER NOT NULL DEFAULT 0,
  seconds REAL NOT NULL DEFAULT 0,
  tokens INTEGER NOT NULL DEFAULT 0,
  cost REAL NOT NULL DEFAULT 0,
  unpriced INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (rig, agent)
) WITHOUT ROWID;

INSERT INTO change_totals (rig, agent, approved, landed, discarded, tokens, cost)
SELECT rig, agent, sum(state = 'approved'), sum(state = 'landed'), sum(state = 'discarded'),
  coalesce(sum(tokens), 0), coalesce(sum(cost), 0)
FROM changes WHERE state IN ('approved', 'landed', 'discarded') GROUP BY rig, agent;

INSERT INTO change_totals (rig, agent, seconds)
SELECT rig, agent, sum(max(look.decided_at - look.looked_at, 0)) / 1000.0
FROM change_looks AS look JOIN changes ON changes.id = look.change
WHERE look.decided_at IS NOT NULL GROUP BY rig, agent
ON CONFLICT (rig, agent) DO UPDATE SET seconds = excluded.seconds;
