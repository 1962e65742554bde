import { invalidField } from '../../../core/errors.ts'
import type { PermissionChoice } from '../../../host/protocol/record.ts'
import type { PendingInteraction } from '../../sessions/schema.ts'
import type { QuestionRow } from './table.ts'

/** The actions that answer a question, and the kinds of choices they stand for, the best first. */
const CHOICE_KINDS_BY_ACTION: Readonly<Record<string, readonly string[]>> = {
  approve: ['allow_once'],
  allow: ['allow_once'],
  approve_always: ['allow_always'],
  allow_always: ['allow_always'],
  approve_accept_edits: ['allow_always'],
  deny: ['reject_once', 'reject_always'],
  reject: ['reject_once', 'reject_always'],
  deny_always: ['reject_always'],
  reject_always: ['reject_always'],
}

/** The choice that an action selects; it may also be the id or name of a choice. Fails when it selects none. */
export function choiceFor(
  action: string,
  choices: readonly PermissionChoice[],
  offered: readonly string[] = actionsFor(choices),
): PermissionChoice {
  const own = choices.find(({ id }) => id === action) ?? choices.find(({ name }) => name === action)
  const kinds = Object.hasOwn(CHOICE_KINDS_BY_ACTION, action) ? (CHOICE_KINDS_BY_ACTION[action] ?? []) : []
  const selected = own ?? kinds.flatMap((kind) => choices.find((choice) => choice.kind === kind) ?? [])[0]
  if (selected) return selected
  const message = `"${action}" is no answer to this question; it can be answered with ${offered.join(', ')}`
  throw invalidField('body.action', message)
}

/** The actions that can answer a question. */
export function actionsFor(choices: readonly PermissionChoice[]): string[] {
  const offered = new Set(choices.map(({ kind }) => kind))
  const actions = ['approve', 'approve_always', 'deny', 'deny_always'].filter((action) =>
    CHOICE_KINDS_BY_ACTION[action]?.some((kind) => offered.has(kind)),
  )
  return actions.length > 0 ? actions : choices.map(({ id }) => id)
}

/** The prompt of a question in one line. */
export function promptFor({ tool }: Pick<QuestionRow, 'tool'>): string {
  const { title, kind } = tool
  const what = typeof title === 'string' && title !== '' ? title : typeof kind === 'string' ? kind : 'a tool'
  return `Allow ${what}?`
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
