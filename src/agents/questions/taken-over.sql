-- What agents were asking by protocol when questions of screens and those of agents came to be stored alike.
INSERT INTO questions (session_id, host_key, request, by, folder, question, state)
SELECT q.session_id, q.host_key, q.request, 'agent', s.work_dir,
  json_object(
    'id', q.request,
    'kind', 'approval',
    'prompt', 'Allow ' || coalesce(nullif(q.tool ->> '$.title', ''), nullif(q.tool ->> '$.kind', ''), 'a tool') || '?',
    'text', coalesce(q.tool ->> '$.rawInput.command', q.tool ->> '$.rawInput', q.tool ->> '$.title', ''),
    'cut', json('false'),
    'options', json((
      SELECT json_group_array(json_object(
        'id', choice.value ->> '$.id',
        'label', choice.value ->> '$.name',
        'role', CASE choice.value ->> '$.kind'
          WHEN 'allow_once' THEN 'allow-once'
          WHEN 'allow_always' THEN 'allow-always'
          WHEN 'reject_once' THEN 'deny'
          WHEN 'reject_always' THEN 'deny-always'
          ELSE 'other' END))
      FROM json_each(q.choices) choice
    )),
    'picture', json('[]'),
    'since', strftime('%Y-%m-%dT%H:%M:%fZ', q.asked_at / 1000.0, 'unixepoch')
  ),
  'open'
FROM acp_questions q JOIN sessions s ON s.id = q.session_id
WHERE NOT EXISTS (
  SELECT 1 FROM questions o WHERE o.host_key = q.host_key AND o.request = q.request AND o.ended_at IS NULL
);
