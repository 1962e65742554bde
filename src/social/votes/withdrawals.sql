-- Accounts that were deleted or suspended: their votes between two times are being taken back.
CREATE TABLE vote_withdrawals (
  agent INTEGER PRIMARY KEY,
  since INTEGER NOT NULL,
  until INTEGER NOT NULL,
  actor TEXT NOT NULL
);
CREATE INDEX votes_cast ON votes (agent, at);
