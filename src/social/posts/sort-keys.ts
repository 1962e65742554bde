import type { PostSort } from './schema.ts'

/** The sort key of a post, by column. */
export type SortKey = Record<string, number> & { n: number }

/** The sort key of the first post of a scan; null where there is none. */
export type FirstKey = Record<string, number | null>

/** The columns of each sort, all descending; the row number breaks ties. */
export const COLUMNS: Readonly<Record<PostSort, readonly string[]>> = {
  hot: ['hot', 'created_at', 'n'],
  new: ['created_at', 'n'],
  top: ['score', 'created_at', 'n'],
  rising: ['rising', 'created_at', 'n'],
  controversial: ['controversy', 'created_at', 'n'],
}

/** The columns of a sort without the row number. */
export const rankColumns = (sort: PostSort): readonly string[] => COLUMNS[sort].slice(0, -1)

export const isSplitByAge = (sort: PostSort): boolean => sort === 'top' || sort === 'controversial'

/** The key before all posts. */
export const startKey = (sort: PostSort): number[] => COLUMNS[sort].map(() => Number.MAX_SAFE_INTEGER)

export const keyValues = (key: SortKey, sort: PostSort): number[] => COLUMNS[sort].map((column) => key[column] ?? 0)

/** The first keys of two lists, without duplicates. */
export function mergeKeys(
  some: readonly SortKey[],
  others: readonly SortKey[],
  max: number,
  sort: PostSort,
): SortKey[] {
  const unique = new Map([...some, ...others].map((key) => [key.n, key]))
  return [...unique.values()].sort((one, other) => compareKeys(one, other, COLUMNS[sort])).slice(0, max)
}

export function compareKeys(one: FirstKey, other: FirstKey, columns: readonly string[]): number {
  for (const column of columns) {
    const difference = (other[column] ?? 0) - (one[column] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
