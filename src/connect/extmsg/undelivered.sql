CREATE TABLE extmsg_undelivered (
  conversation INTEGER PRIMARY KEY,
  reason TEXT NOT NULL,
  said TEXT NOT NULL,
  since INTEGER NOT NULL
);
