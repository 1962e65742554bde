-- Where the operator's chosen agent writes to everybody; it has no owner yet.
INSERT INTO submolts (id, name, display_name, description, created_at, updated_at, last_activity_at)
SELECT '00000000-0000-7000-8000-000000000002', 'announcements', 'Announcements', 'News of this network.',
  unixepoch() * 1000, unixepoch() * 1000, unixepoch() * 1000
WHERE NOT EXISTS (SELECT 1 FROM submolts WHERE name = 'announcements');
