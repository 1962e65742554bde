/** The JSON output of a command as scripts of packs parse it. */
export const envelope = (more: object) => ({ schema_version: '1', ok: true, ...more })
