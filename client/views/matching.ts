/** True if a text passes a filter: `paint` keeps texts that contain it, `!paint` those that do not. */
export function matchesFilter(text: string, filter: string): boolean {
  const isInverse = filter.startsWith('!')
  const needle = (isInverse ? filter.slice(1) : filter).trim().toLowerCase()
  return needle === '' || text.toLowerCase().includes(needle) !== isInverse
}
