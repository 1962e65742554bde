import { Box, Text } from 'ink'
import type { ReactNode } from 'react'
import { displayWidth, padTo, sanitizeLine } from '../../src/client/text.ts'
import { wrap } from '../../src/client/wrap.ts'
import { rowActions } from '../state/actions.ts'
import { completions, filterWords } from '../state/commands.ts'
import { focused, opensOf } from '../state/navigation.ts'
import type { Prompt, State } from '../state/state.ts'
import { shortenName } from './columns.ts'
import { lineSpans } from './edit-line.ts'
import { useLook } from './look.ts'
import { type Span, styled, widthOf } from './styled.ts'

/** Typed text, else a notice, else the keys of the selection; overlays have their own. */
export function Footer({ state }: { state: State }): ReactNode {
  const { theme } = useLook()
  return (
    <Box flexDirection="column" flexShrink={0}>
      {linesOf(state).map((spans, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is where it is
        <Text key={at} wrap="truncate">
          {styled([{ text: ' ' }, ...spans], theme)}
        </Text>
      ))}
    </Box>
  )
}

function linesOf(state: State): Span[][] {
  if (state.prompt) return [promptSpans(state, state.prompt)]
  if (!state.notice) return [state.overlay ? [] : hintSpans(state)]
  const { text, isBad } = state.notice
  const lines = wrap(sanitizeLine(text), Math.max(1, state.width - 1), 0).slice(0, state.height)
  // Lines above the last cover what is below them.
  return lines.map((line) => [{ text: padTo(line, state.width - 1), tone: isBad ? 'bad' : 'good' }])
}

function promptSpans(state: State, { kind, edit }: Prompt): Span[] {
  const known = kind === 'command' ? completions(state, edit.text) : filterWords(state, edit.text)
  const found = known.slice(0, 12).join(' ')
  const room = Math.max(20, state.width - 4 - Math.min(displayWidth(found), Math.floor(state.width / 2)))
  return [
    { text: kind === 'filter' ? '/' : ':' },
    ...lineSpans(edit, room),
    { text: `  ${sanitizeLine(found)}`, tone: 'quiet' },
  ]
}

/** The keys that matter on this page, as many as there is room for, and always the help that has all. */
const MAX_HINTS = 5
/** The columns that what a key does has at the bottom. */
const HINT = 24

type Hint = readonly [key: string, does: string]

function hintSpans(state: State): Span[] {
  const able = rowActions(state).filter(({ action }) => action.disabled === undefined)
  const own = able.map(({ action }): Hint => {
    return [action.key, shortenName(sanitizeLine(action.hint ?? action.name), HINT)]
  })
  const open: Hint[] = opensOf(state, focused(state)) ? [['enter', 'open']] : []
  const hints: Hint[] = [...open, ...own, ['/', 'filter'] as const, [':', 'command'] as const, ['esc', 'back'] as const]
  const last: Hint[] = [
    ['?', 'help'],
    ['q', 'quit'],
  ]
  const shown = hints.slice(0, MAX_HINTS)
  while (shown.length > 0 && widthOf(spansOf([...shown, ...last])) > state.width - 2) shown.pop()
  return spansOf([...shown, ...last])
}

const spansOf = (hints: readonly Hint[]): Span[] =>
  hints.flatMap(([key, does], at): Span[] => [
    { text: `${at === 0 ? '' : '  '}${key}`, tone: 'busy' },
    { text: ` ${does}`, tone: 'quiet' },
  ])
