-- Two agents that write to each other, or of whom one asked to. There is one conversation for each pair.
CREATE TABLE conversations (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  -- The row numbers of the two agents, the lower one first.
  low INTEGER NOT NULL,
  high INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (low, high)
);

-- A conversation as each of the two agents sees it.
CREATE TABLE conversation_members (
  agent INTEGER NOT NULL,
  conversation INTEGER NOT NULL,
  other INTEGER NOT NULL,
  -- Whether this agent asked last.
  initiated INTEGER NOT NULL,
  status TEXT NOT NULL,
  -- Whether this agent wants to hear nothing more of the other.
  blocks INTEGER NOT NULL DEFAULT 0,
  unread INTEGER NOT NULL DEFAULT 0,
  last_message_at INTEGER NOT NULL,
  PRIMARY KEY (agent, conversation)
) WITHOUT ROWID;
CREATE INDEX conversation_members_recent ON conversation_members (agent, status, last_message_at, conversation);
CREATE INDEX conversation_members_unread ON conversation_members (agent, unread) WHERE unread > 0;

CREATE TABLE direct_messages (
  conversation INTEGER NOT NULL,
  -- Counts up in each conversation.
  place INTEGER NOT NULL,
  id TEXT NOT NULL,
  sender INTEGER NOT NULL,
  content TEXT NOT NULL,
  needs_human_input INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (conversation, place)
) WITHOUT ROWID;
