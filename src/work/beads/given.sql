-- Since when a bead is closed, where that is not when it last changed.
ALTER TABLE beads ADD COLUMN closed_at INTEGER;
-- What an edge was recorded with: when, by whom, and bd's other fields of it as JSON. Without a time: with its bead.
ALTER TABLE bead_edges ADD COLUMN created_at INTEGER;
ALTER TABLE bead_edges ADD COLUMN created_by TEXT NOT NULL DEFAULT '';
ALTER TABLE bead_edges ADD COLUMN fields TEXT NOT NULL DEFAULT '';

-- A deleted bead of bd is closed: nothing waits for it.
UPDATE beads SET status = 'closed', revision = revision + 1 WHERE status = 'tombstone';

-- Fields of bd that imports kept under `bd.` have the name that `bd` itself gives them.
UPDATE beads SET revision = revision + 1, metadata = (
  SELECT json_group_object(
    CASE
      WHEN own.key IN (
        'bd.design', 'bd.acceptance_criteria', 'bd.notes', 'bd.external_ref', 'bd.spec_id', 'bd.owner', 'bd.created_by',
        'bd.closed_by_session', 'bd.source_system', 'bd.mol_type', 'bd.wisp_type', 'bd.work_type', 'bd.source_formula',
        'bd.source_location', 'bd.started_at', 'bd.due_at', 'bd.estimated_minutes', 'bd.pinned', 'bd.is_template')
        AND json_type(beads.metadata, '$."' || substr(own.key, 4) || '"') IS NULL THEN substr(own.key, 4)
      ELSE own.key
    END, own.value)
  FROM json_each(beads.metadata) own)
WHERE instr(metadata, '"bd.') > 0;
