CREATE TABLE extmsg_conversations (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  scope_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  account_id TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  parent_conversation_id TEXT NOT NULL,
  head INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX extmsg_conversations_ref
  ON extmsg_conversations (conversation_id, account_id, provider, scope_id, kind, parent_conversation_id);
CREATE INDEX extmsg_conversations_updated ON extmsg_conversations (updated_at, n);

CREATE TABLE extmsg_bindings (
  conversation INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  agent_name TEXT NOT NULL,
  generation INTEGER NOT NULL,
  bound_at INTEGER NOT NULL,
  routed INTEGER NOT NULL,
  metadata TEXT NOT NULL
);
CREATE INDEX extmsg_bindings_session ON extmsg_bindings (session_id);
CREATE INDEX extmsg_bindings_agent ON extmsg_bindings (agent_name);

CREATE TABLE extmsg_groups (
  id TEXT PRIMARY KEY,
  conversation INTEGER NOT NULL,
  mode TEXT NOT NULL,
  default_handle TEXT NOT NULL,
  last_handle TEXT NOT NULL,
  metadata TEXT NOT NULL
) WITHOUT ROWID;
CREATE UNIQUE INDEX extmsg_groups_conversation ON extmsg_groups (conversation);

CREATE TABLE extmsg_participants (
  group_id TEXT NOT NULL,
  handle TEXT NOT NULL,
  id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  public INTEGER NOT NULL,
  metadata TEXT NOT NULL,
  PRIMARY KEY (group_id, handle)
) WITHOUT ROWID;

CREATE TABLE extmsg_messages (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  kind TEXT NOT NULL,
  provider_message_id TEXT NOT NULL,
  dedup_key TEXT NOT NULL,
  actor TEXT NOT NULL,
  body TEXT NOT NULL,
  explicit_target TEXT NOT NULL,
  reply_to TEXT NOT NULL,
  attachments TEXT,
  source_session TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX extmsg_messages_sequence ON extmsg_messages (conversation, sequence);
CREATE INDEX extmsg_messages_dedup ON extmsg_messages (conversation, dedup_key);
CREATE INDEX extmsg_messages_recorded ON extmsg_messages (recorded_at);

CREATE TABLE extmsg_memberships (
  conversation INTEGER NOT NULL,
  session_id TEXT NOT NULL,
  owner TEXT NOT NULL,
  acked INTEGER NOT NULL,
  nudged_from INTEGER NOT NULL,
  nudged_to INTEGER NOT NULL,
  PRIMARY KEY (conversation, session_id)
) WITHOUT ROWID;

CREATE TABLE extmsg_receipts (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation INTEGER NOT NULL,
  session_id TEXT NOT NULL,
  key TEXT NOT NULL,
  digest TEXT NOT NULL,
  result TEXT,
  created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX extmsg_receipts_key ON extmsg_receipts (conversation, session_id, key);
CREATE INDEX extmsg_receipts_created ON extmsg_receipts (created_at);
