import {
  type Action,
  actionsOnSeveral,
  cityActions,
  type Location,
  pageOf,
  type Row,
} from '../../client/views/index.ts'
import { lineOf } from './line.ts'
import { focused, meantCity, panelsOf } from './navigation.ts'
import { selectedRow } from './selection.ts'
import {
  type Chosen,
  type Draft,
  type FormField,
  type Held,
  type Overlay,
  type Run,
  type State,
  type Values,
  viewKey,
  viewOf,
} from './state.ts'

/** Current actions: on the selected row, then on the page, with their targets. */
export function rowActions(state: State): readonly Chosen[] {
  const location = focused(state)
  const page = pageOf(location)
  const onRow = markedActions(state, location) ?? onSelected(state, location)
  const actions = [...viewOf(state, location).actions, ...(page.actions?.(location) ?? [])]
  const onPage = actions.map((action) => ({ action, location, row: undefined }))
  return [...onRow, ...onPage]
}

function onSelected(state: State, location: Location): Chosen[] {
  const row: Row | undefined = selectedRow(state, location)
  return row?.actions().map((action) => ({ action, location, row: row.id })) ?? []
}

const known = new WeakMap<ReadonlyMap<string, Row>, readonly Action[]>()

/** What can be done to all marked rows; undefined where none is marked. Computed once for them. */
function markedActions(state: State, location: Location): Chosen[] | undefined {
  const { marks } = viewOf(state, location)
  if (marks.size === 0) return undefined
  const actions = known.get(marks) ?? actionsOnSeveral([...marks.values()])
  known.set(marks, actions)
  const ids = [...marks.keys()]
  const row = ids.length > NAMED ? `${ids.slice(0, NAMED).join(', ')} and ${ids.length - NAMED} more` : ids.join(', ')
  return actions.map((action) => ({ action, location, row }))
}

/** So many marked rows are named where there is no room for all of them. */
const NAMED = 3

/** What can be done as a command is begun: it hits that, whatever the rows do while it is typed. */
export function hold(state: State): Held {
  const isRead = viewOf(state, focused(state)).loadedAt !== undefined
  return isRead ? namedActions(state) : undefined
}

const heldIn = ({ prompt, overlay }: State): Held =>
  prompt?.held ?? (overlay?.kind === 'palette' ? overlay.held : undefined)

/** Actions by name: those with a key here, then those of the whole city. */
export function namedActions(state: State): readonly Chosen[] {
  const held = heldIn(state)
  if (held) return held
  const city = meantCity(state)
  if (city === '') return rowActions(state)
  const location = { ...focused(state), city }
  return [...rowActions(state), ...cityActions.map((action) => ({ action, location, row: undefined }))]
}

/** Begins an action: says why it cannot be done, asks for its fields, asks whether to do it, or does it. */
export function begin(state: State, chosen: Chosen, words = ''): readonly [State, Run?] {
  const { action } = chosen
  if (action.disabled !== undefined) return [notice(state, action.disabled, true)]
  if (action.afterReading && !viewOf(state, chosen.location).isRead) return [notice(state, UNREAD, true)]
  const draft = words === '' ? state.drafts[draftOf(chosen)] : undefined
  const fields = fieldsOf(action, words).map((field) => ({ ...field, edit: draft?.edits[field.name] ?? field.edit }))
  const missing = fields.findIndex(({ edit, isOptional }) => edit.text === '' && !isOptional)
  const isAsked = missing >= 0 || (fields.length > 0 && words === '')
  if (isAsked) return [{ ...state, overlay: { kind: 'form', chosen, fields, at: Math.max(0, missing) } }]
  return confirmed(state, { type: 'run', chosen, values: valuesOf(fields) })
}

/** Drafts that are kept; the oldest go first. */
const MAX_DRAFTS = 20

const draftOf = ({ action, location, row }: Chosen): string =>
  JSON.stringify([viewKey(location), row, action.name, action.help])

/** Keeps what was typed into a form for when it is opened again. */
export function keepDraft(state: State, { chosen, fields }: Overlay & { kind: 'form' }): State {
  const others = Object.entries(state.drafts).filter(([each]) => each !== draftOf(chosen))
  const isTyped = fields.some(({ edit, initial = '' }) => edit.text !== initial)
  const own: Draft = {
    edits: Object.fromEntries(fields.map(({ name, edit }) => [name, edit])),
    asksMore: chosen.action.asksMore === true,
  }
  const drafts = isTyped ? [...others, [draftOf(chosen), own] as const] : others
  return { ...state, drafts: Object.fromEntries(drafts.slice(-MAX_DRAFTS)) }
}

/** Drafts without those of an action that was carried out: its own, and that of the form that asked for more. */
const withoutDone = (drafts: State['drafts'], chosen: Chosen): State['drafts'] =>
  Object.fromEntries(
    Object.entries(drafts).filter(
      ([key, { asksMore }]) => key !== draftOf(chosen) && !(asksMore && chosen.action.key === ''),
    ),
  )

/** Words after the name of a command fill its fields: one word each, and the last gets the rest. */
function fieldsOf({ fields = [] }: Action, words: string): FormField[] {
  const given = words === '' ? [] : words.split(' ')
  return fields.map((field, at) => {
    const isLast = at === fields.length - 1
    const text = (isLast ? given.slice(at).join(' ') : given[at]) || field.initial || ''
    return { ...field, edit: lineOf(text) }
  })
}

export const valuesOf = (fields: readonly FormField[]): Values =>
  Object.fromEntries(fields.map(({ name, edit }) => [name, edit.text]))

/** Does an action whose fields are filled, or asks first. */
export function confirmed(state: State, run: Run): readonly [State, Run?] {
  const { chosen } = run
  if (chosen.action.confirm !== undefined) return [{ ...state, overlay: { kind: 'confirm', run, first: 0 } }]
  return [{ ...state, overlay: chosen.action.asksMore ? { kind: 'wait', chosen } : undefined }, run]
}

/** Ignores a running action whose key was pressed again. */
export function beginRun(state: State, run: Run): readonly [State, Run?] {
  const { action, row } = run.chosen
  if (!state.underWay.some((each) => isSame(each, run))) return [{ ...state, underWay: [...state.underWay, run] }, run]
  const what = [action.name, row].filter(Boolean).join(' ')
  return [notice(state, `${what} is under way: the supervisor has not answered yet`, false)]
}

/** Ends an action that was answered or failed; after a failure, its typed text stays for correction. */
export function endRun(before: State, run: Run, isDone: boolean): State {
  const { chosen, fields } = run
  const asksFurther = chosen.action.asksMore && before.overlay?.kind === 'form'
  const state = {
    ...before,
    underWay: before.underWay.filter((each) => each !== run),
    drafts: isDone && !asksFurther ? withoutDone(before.drafts, chosen) : before.drafts,
  }
  const isThere = panelsOf(state).some((panel) => viewKey(panel) === viewKey(chosen.location))
  if (isDone || !fields || !isThere || state.overlay || state.prompt) return state
  return { ...state, overlay: { kind: 'form', chosen, fields, at: 0 } }
}

const isSame = (one: Run, other: Run): boolean => nameOf(one) === nameOf(other)

const nameOf = ({ chosen: { action, location, row }, values }: Run): string =>
  JSON.stringify([viewKey(location), row, action.name, action.help, values])

/** Reason what asks to be read first cannot be answered yet. */
const UNREAD = 'there is more of it below: read it to its end first (page down, or G)'

export const notice = (state: State, text: string, isBad: boolean): State => ({ ...state, notice: { text, isBad } })
