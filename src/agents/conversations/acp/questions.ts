import { toTimestamp } from '../../../core/clock.ts'
import { invalidField } from '../../../core/errors.ts'
import { isObject } from '../../../core/json.ts'
import type { OptionRole, Question, QuestionOption } from '../../../host/protocol/index.ts'
import type { AskedSubject } from '../../../programs/terminal-profile.ts'
import type { PendingInteraction } from '../../../work/sessions/index.ts'
import type { QuestionRow } from './table.ts'

/** The actions that answer a question, and the roles of the options they stand for, the best first. */
const ROLES_BY_ACTION: Readonly<Record<string, readonly OptionRole[]>> = {
  approve: ['allow-once'],
  allow: ['allow-once'],
  yes: ['allow-once'],
  approve_always: ['allow-always'],
  allow_always: ['allow-always'],
  approve_accept_edits: ['allow-always'],
  deny: ['deny', 'deny-always'],
  reject: ['deny', 'deny-always'],
  no: ['deny', 'deny-always'],
  deny_always: ['deny-always'],
  reject_always: ['deny-always'],
}

/** The roles of the protocol's kinds of choices. */
const ROLES_BY_KIND: Readonly<Record<string, OptionRole>> = {
  allow_once: 'allow-once',
  allow_always: 'allow-always',
  reject_once: 'deny',
  reject_always: 'deny-always',
}

/** The option that an action selects; it may also be the id or label of an option. Fails when it selects none. */
export function optionFor(
  action: string,
  options: readonly QuestionOption[],
  offered: readonly string[] = actionsFor(options),
): QuestionOption {
  const own = options.find(({ id }) => id === action) ?? options.find(({ label }) => label === action)
  const roles = Object.hasOwn(ROLES_BY_ACTION, action) ? (ROLES_BY_ACTION[action] ?? []) : []
  const selected = own ?? roles.flatMap((role) => options.find((option) => option.role === role) ?? [])[0]
  if (selected) return selected
  const message = `"${action}" is not an answer to this question; it can be answered with ${offered.join(', ')}`
  throw invalidField('body.action', message)
}

/** The actions that can answer a question. */
export function actionsFor(options: readonly QuestionOption[]): string[] {
  const offered = new Set(options.map(({ role }) => role))
  const actions = ['approve', 'approve_always', 'deny', 'deny_always'].filter((action) =>
    ROLES_BY_ACTION[action]?.some((role) => offered.has(role)),
  )
  return actions.length > 0 ? actions : options.map(({ id }) => id)
}

/** Question of an agent; one with its own options is a form. */
export type AskedQuestion = QuestionRow & { options?: QuestionOption[] }

/** The prompt of a question in one line. */
export function promptFor({ tool }: Pick<QuestionRow, 'tool'>): string {
  const { title, kind } = tool
  if (kind === 'elicitation') return String(title)
  const what = typeof title === 'string' && title !== '' ? title : typeof kind === 'string' ? kind : 'a tool'
  return `Allow ${what}?`
}

/** A question that an agent asks by protocol. */
export function toQuestion(row: Pick<AskedQuestion, 'request' | 'tool' | 'choices' | 'askedAt' | 'options'>): Question {
  const choices = row.choices.map(({ id, name: label, kind }) => ({ id, label, role: ROLES_BY_KIND[kind] ?? 'other' }))
  return {
    id: row.request,
    kind: row.options ? 'choice' : 'approval',
    prompt: promptFor(row),
    ...toolText(row.tool),
    options: row.options ?? choices,
    picture: [],
    since: toTimestamp(row.askedAt),
  }
}

/** A question in its wire shape. */
export function toPendingInteraction(question: Pick<QuestionRow, 'request' | 'tool' | 'choices'>): PendingInteraction {
  const { kind, name, toolCallId } = question.tool
  const facts = { tool_name: name ?? kind, tool_call_id: toolCallId, source: 'acp' }
  const metadata = Object.fromEntries(
    Object.entries(facts).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value] as const] : [])),
  )
  return {
    request_id: question.request,
    kind: 'approval',
    prompt: promptFor(question),
    options: question.choices.map(({ name: label }) => label),
    metadata,
  }
}

/** Maximum length of the text of a question; longer ones are marked as cut. */
const MAX_TEXT = 1 << 20

/** The command, address, files or diff that a tool call is about, whole. */
function toolText({ rawInput, content, locations }: Record<string, unknown>): { text: string; cut: boolean } {
  const parts = [...inputParts(rawInput), ...contentParts(content)]
  const text = (parts.length > 0 ? parts : locationParts(locations)).join('\n\n')
  return { text: text.slice(0, MAX_TEXT), cut: text.length > MAX_TEXT }
}

/** A command or address unchanged; whatever else an input has, as JSON. */
function inputParts(input: unknown): string[] {
  if (typeof input === 'string') return input === '' ? [] : [input]
  if (!isObject(input)) return []
  const { command, cmd, ...rest } = input
  const words = command ?? cmd
  const line = Array.isArray(words) ? words.join(' ') : words
  if (typeof line === 'string' && line !== '') {
    const folder = rest.cwd ?? rest.workdir ?? rest.directory
    return typeof folder === 'string' && folder !== '' ? [line, `in ${folder}`] : [line]
  }
  const named = Object.entries(input).filter(([, value]) => value !== undefined && value !== null)
  return named.length > 0 ? [named.map(([name, value]) => `${name}: ${valueText(value)}`).join('\n')] : []
}

const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, undefined, 2))

function contentParts(content: unknown): string[] {
  if (!Array.isArray(content)) return []
  return content.flatMap((part) => {
    if (!isObject(part)) return []
    if (part.type === 'diff') return [diffText(part)]
    const inner = isObject(part.content) ? part.content.text : undefined
    return typeof inner === 'string' && inner !== '' ? [inner] : []
  })
}

function diffText({ path, oldText, newText }: Record<string, unknown>): string {
  const marked = (sign: string, text: unknown) =>
    typeof text === 'string' && text !== '' ? text.replace(/\n$/, '').replace(/^/gm, sign) : undefined
  return [String(path), marked('- ', oldText), marked('+ ', newText)].filter((part) => part !== undefined).join('\n')
}

function locationParts(locations: unknown): string[] {
  if (!Array.isArray(locations)) return []
  return locations.flatMap((place) => (isObject(place) && typeof place.path === 'string' ? [place.path] : []))
}

/** The subject of a tool call; undefined where its fields leave any doubt. */
export function subjectOfTool({
  kind,
  rawInput,
  content,
  locations,
}: Record<string, unknown>): AskedSubject | undefined {
  const input: Record<string, unknown> = isObject(rawInput) ? rawInput : {}
  if (kind === 'execute') return commandOf(input)
  if (kind === 'fetch') return typeof input.url === 'string' ? hostsOf(input.url) : undefined
  if (kind === 'read') return pathsOf('read', locations)
  // A file that is moved may be in one of the two only.
  const places = Array.isArray(locations) ? locations : []
  return kind === 'edit' && hasOnlyDiffs(content) ? pathsOf('write', [...content, ...places]) : undefined
}

/** A command line; a list of arguments can be no line without doubt. */
function commandOf({ command, cwd, workdir, directory, dir_path }: Record<string, unknown>): AskedSubject | undefined {
  const folder = cwd ?? workdir ?? directory ?? dir_path
  if (typeof command !== 'string' || command.trim() === '') return undefined
  return { kind: 'command', line: command, ...(typeof folder === 'string' && folder !== '' && { folder }) }
}

function hostsOf(address: string): AskedSubject | undefined {
  const host = /^https?:\/\/\S+$/.test(address) && URL.parse(address)?.host
  return host ? { kind: 'fetch', hosts: [host] } : undefined
}

const hasOnlyDiffs = (content: unknown): content is Record<string, unknown>[] =>
  Array.isArray(content) && content.length > 0 && content.every((part) => isObject(part) && part.type === 'diff')

function pathsOf(kind: 'read' | 'write', places: unknown): AskedSubject | undefined {
  const paths = Array.isArray(places) ? places.map((place) => (isObject(place) ? place.path : undefined)) : []
  const known = paths.flatMap((path) => (typeof path === 'string' && path !== '' ? [path] : []))
  return known.length > 0 && known.length === paths.length ? { kind, paths: [...new Set(known)] } : undefined
}
