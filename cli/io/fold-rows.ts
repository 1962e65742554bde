/**
 * Rows in which all that belong to one group are one row, where the first of them was; `groupOf` is undefined for a row
 * that stands for itself, and `fold` makes one row of `count`.
 */
export function foldRows<Row>(
  rows: readonly Row[],
  groupOf: (row: Row) => string | undefined,
  fold: (first: Row, count: number) => Row,
): Row[] {
  const groups = Map.groupBy(rows, (row) => groupOf(row))
  return rows.flatMap((row) => {
    const group = groupOf(row)
    const members = group === undefined ? undefined : (groups.get(group) ?? [])
    if (!members || members.length === 1) return [row]
    return members[0] === row ? [fold(row, members.length)] : []
  })
}
