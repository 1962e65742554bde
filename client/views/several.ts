import { countOf } from '../../src/client/text.ts'
import type { Action, Outcome, Reach, Row } from './page.ts'

/** Maximum concurrent requests. */
const AT_ONCE = 8
/** Maximum reasons shown, and rows named for each. */
const MAX_REASONS = 6
const MAX_NAMED = 3

interface Target {
  readonly row: Row
  readonly action: Action
}

interface Left {
  readonly id: string
  readonly why: string
  /** The request that failed, as the log of the supervisor has it. */
  readonly request?: string
}

interface Done {
  readonly id: string
  readonly undo: Outcome['undo']
}

/** Actions on several rows: each that one of them offers for several. */
export function actionsOnSeveral(rows: readonly Row[]): Action[] {
  const all = rows.map((row) => ({ row, actions: row.actions() }))
  const names = new Set(all.flatMap(({ actions }) => actions.filter(({ many }) => many).map(({ name }) => name)))
  return [...names].map((name) => {
    const targets: Target[] = []
    const left: Left[] = []
    for (const { row, actions } of all) {
      const action = actions.find((each) => each.name === name)
      if (action && action.disabled === undefined) targets.push({ row, action })
      else left.push({ id: row.id, why: action?.disabled ?? `${name} is not for it` })
    }
    const sample = all.flatMap(({ actions }) => actions.find((each) => each.name === name) ?? [])[0]
    return onSeveral(name, sample, targets, left)
  })
}

/** One action on all of them: one question that names each row, and one summary. */
function onSeveral(
  name: string,
  sample: Action | undefined,
  targets: readonly Target[],
  left: readonly Left[],
): Action {
  const { key = '', help = '', many, fields } = targets[0]?.action ?? sample ?? {}
  const asked = many?.fields ?? fields
  return {
    ...{ key, name, help: `${help} (${countOf(targets.length, 'row')})` },
    disabled: targets.length === 0 ? `to none of the marked rows: ${left[0]?.why}` : undefined,
    ...(asked && { fields: asked }),
    confirm: (values) => questionOf(name, targets, left, values),
    run: async (reach, values) => summed(name, await doToAll(targets, reach, values), left),
  }
}

/** Names the action, the values typed for it, and each row that it affects. */
function questionOf(
  name: string,
  targets: readonly Target[],
  left: readonly Left[],
  values: Readonly<Record<string, string>>,
): string {
  const typed = Object.values(values).filter((value) => value.trim() !== '')
  return [
    `${[name, ...typed.map((value) => JSON.stringify(value))].join(' ')}: ${targets.length === 1 ? 'this row' : `all of these ${targets.length}`}?`,
    ...targets.map(({ row: { id, label = '' } }) => (label === '' || label === id ? `  ${id}` : `  ${id}  ${label}`)),
    ...(left.length === 0 ? [] : ['left out:', ...left.map((each) => `  ${reasonOf(each)}`)]),
  ].join('\n')
}

/** Runs the action on each row that has not changed since it was shown. */
async function doToAll(
  targets: readonly Target[],
  reach: Reach,
  values: Readonly<Record<string, string>>,
): Promise<(Done | Left)[]> {
  const results: (Done | Left)[] = []
  const waiting = [...targets.entries()]
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [at, target] = next
      results[at] = await doTo(target, reach, values)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return results
}

async function doTo(
  { row, action }: Target,
  reach: Reach,
  values: Readonly<Record<string, string>>,
): Promise<Done | Left> {
  const { id } = row
  let request: string | null = null
  const client = reach.client.observed(({ headers }) => {
    request = headers.get('X-GC-Request-Id')
  })
  const own = { ...reach, client, city: client.city(reach.city.name) }
  try {
    const change = await row.changed?.(own)
    if (change !== undefined) return { id, why: `${change}; it was not changed` }
    return { id, undo: (await action.run(own, values)).undo }
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    return { id, why: text, ...(request !== null && { request }) }
  }
}

const isLeft = (result: Done | Left): result is Left => 'why' in result

/** One sentence for all rows, with an undo for each that has one. Fails if nothing was done. */
function summed(name: string, results: readonly (Done | Left)[], before: readonly Left[]): Outcome {
  const left = [...before, ...results.filter(isLeft)]
  const done = results.filter((result): result is Done => !isLeft(result))
  const reasons = left.length === 0 ? '' : `, ${left.length} left: ${reasonsOf(left)}`
  if (done.length === 0) throw new Error(`nothing was done: ${reasonsOf(left)}`)
  const undos = done.flatMap(({ id, undo }) => (undo ? [{ id, undo }] : []))
  return {
    text: `${name}: ${done.length} done${reasons}`,
    left: left.map(({ id }) => id),
    ...(undos.length > 0 && { undo: { name: `undo of ${name}`, run: (reach) => takeBack(name, undos, reach) } }),
  }
}

async function takeBack(
  name: string,
  undos: readonly { readonly id: string; readonly undo: NonNullable<Outcome['undo']> }[],
  reach: Reach,
): Promise<Outcome> {
  const left: Left[] = []
  for (const { id, undo } of undos.toReversed()) {
    try {
      await undo.run(reach, {})
    } catch (error) {
      left.push({ id, why: error instanceof Error ? error.message : String(error) })
    }
  }
  const reasons = left.length === 0 ? '' : `, ${left.length} not: ${reasonsOf(left)}`
  return { text: `${name} was undone for ${undos.length - left.length}${reasons}` }
}

const asWord = (id: string): RegExp => new RegExp(`(?<![\\w-])${RegExp.escape(id)}(?![\\w-])`, 'g')

const reasonOf = ({ id, why }: Left): string => (asWord(id).test(why) ? why : `${id}: ${why}`)

/** `to-1, to-2 and 3 more: it is closed; to-9: …`. */
function reasonsOf(left: readonly Left[]): string {
  const reasons = [...Map.groupBy(left, ({ id, why }) => why.replace(asWord(id), 'it'))]
  const told = reasons.slice(0, MAX_REASONS).map(([why, rows]) => {
    const named = rows.slice(0, MAX_NAMED).map(({ id }) => id)
    const others = rows.length - named.length
    const about = `${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}`
    const request = rows.find((row) => row.request)?.request
    const [only] = rows.length === 1 ? rows : []
    return `${only ? reasonOf(only) : `${about}: ${why}`}${request === undefined ? '' : ` · request ${request}`}`
  })
  const more = left.length - reasons.slice(0, MAX_REASONS).reduce((sum, [, rows]) => sum + rows.length, 0)
  return [...told, ...(more > 0 ? [`and ${countOf(more, 'row')} for other reasons`] : [])].join('; ')
}

/** First of some facts that has changed since, with both values; undefined for none. */
export function differenceOf(before: object, now: object, facts: Readonly<Record<string, string>>): string | undefined {
  const read = (from: object, name: string): string => {
    const value: unknown = Object.entries(from).find(([key]) => key === name)?.[1]
    return Array.isArray(value) ? value.join(', ') : String(value ?? '')
  }
  for (const [name, words] of Object.entries(facts)) {
    const [was, is] = [read(before, name), read(now, name)]
    if (was !== is) return `its ${words}: now ${is || 'none'}, not ${was || 'none'}`
  }
  return undefined
}
