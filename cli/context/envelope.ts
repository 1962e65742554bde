/** The JSON output of a command as scripts of packs parse it. */
export const envelope = (more: object) => ({ schema_version: '1', ok: true, ...more })

/**
 * The JSON of a list: its known keys, its rows as `items`, and as `total` how many there are. Where the API counts no
 * further rows, the total is that of the rows that are listed.
 */
export const withItems = <T extends object, Item>(known: T, items: readonly Item[], total = items.length) => ({
  ...known,
  items,
  total,
})
