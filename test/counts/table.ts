import type { Cost, Counts } from './recorder.ts'

/** What each operation may cost, as it is committed. */
export type Table = Readonly<Record<string, Row>>

interface Row {
  readonly syncs: number
  readonly frames: number
  /** By the kind of a statement. */
  readonly statements: Readonly<Record<string, string>>
}

export const tableOf = (counts: Readonly<Record<string, Counts>>): Table =>
  Object.fromEntries(
    Object.entries(counts).map(([name, { syncs, frames, costs }]) => {
      const statements = Object.entries(costs).map(([kind, cost]) => [kind, describeCost(cost)] as const)
      return [name, { syncs, frames, statements: Object.fromEntries(statements.sort(([a], [b]) => (a < b ? -1 : 1))) }]
    }),
  )

/** How operations differ from the table; each difference is one line. */
export interface Differences {
  readonly worse: readonly string[]
  readonly better: readonly string[]
}

export function compare(table: Table, counts: Readonly<Record<string, Counts>>): Differences {
  const [worse, better]: string[][] = [[], []]
  const add = (is: number, was: number, line: string) => {
    if (is !== was) (is > was ? worse : better)?.push(line)
  }
  for (const name of new Set([...Object.keys(table), ...Object.keys(counts)])) {
    const { syncs = 0, frames = 0, statements = {} } = table[name] ?? {}
    const now = counts[name] ?? { syncs: 0, frames: 0, costs: {}, statements: {} }
    add(now.syncs, syncs, `${name}: ${now.syncs} syncs, not ${syncs}`)
    add(now.frames, frames, `${name}: ${now.frames} pages written, not ${frames}`)
    for (const kind of new Set([...Object.keys(statements), ...Object.keys(now.costs)])) {
      const [was, is] = [parseCost(statements[kind]), now.costs[kind] ?? NOTHING]
      const line = `${name}: ${kind}: ${describeCost(is)}, not ${describeCost(was)}`
      const sql = now.statements[kind]?.map((each) => `\n    ${each}`).join('') ?? ''
      if (is.runs > was.runs || is.rows > was.rows) worse?.push(line + sql)
      else if (is.runs < was.runs || is.rows < was.rows) better?.push(line + sql)
    }
  }
  return { worse: worse ?? [], better: better ?? [] }
}

const NOTHING: Cost = { runs: 0, rows: 0 }

const describeCost = ({ runs, rows }: Cost): string => `${runs} runs, ${rows} rows`

function parseCost(text = describeCost(NOTHING)): Cost {
  const [runs = 0, rows = 0] = text.split(/\D+/).map(Number)
  return { runs, rows }
}
