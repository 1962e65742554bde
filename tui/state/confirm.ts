import { confirmationOf } from '../../client/views/index.ts'
import { sanitizeLines } from '../../src/client/text.ts'
import { wrap } from '../../src/client/wrap.ts'
import type { Verb } from './keys.ts'
import type { Overlay, State } from './state.ts'

type Confirm = Overlay & { kind: 'confirm' }

/** Lines around what is asked: the border, and the keys below it. */
const AROUND = 4

/** What is asked before something is done, as it is on the screen, and how much of it has room. */
export function confirmText(
  state: State,
  { run }: Confirm,
): { readonly lines: readonly string[]; readonly room: number } {
  const question = sanitizeLines(confirmationOf(run.chosen.action, run.values)).split('\n')
  const lines = question.flatMap((line) => wrap(line, Math.max(1, state.width - 4), 0))
  return { lines, room: Math.max(1, Math.min(lines.length, state.height - AROUND)) }
}

/** The question after a key that scrolls it; undefined for any other key, and where all of it is visible. */
export function scrollConfirm(state: State, confirm: Confirm, key: string): State | undefined {
  const { lines, room } = confirmText(state, confirm)
  const moves: { readonly [Each in Verb]?: number } = { down: 1, up: -1, pageDown: room, pageUp: -room }
  const verb = state.keymap.verbs.get(key)
  const by = verb && moves[verb]
  const last = lines.length - room
  if (by === undefined || last <= 0) return undefined
  return { ...state, overlay: { ...confirm, first: Math.max(0, Math.min(last, confirm.first + by)) } }
}
