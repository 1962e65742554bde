import { Box, Text } from 'ink'
import type { ReactNode } from 'react'
import { displayWidth, formatDuration, sanitizeLine, truncate } from '../../src/client/text.ts'
import type { Location } from '../pages/page.ts'
import { pageOf } from '../pages/pages.ts'
import type { Tone } from '../pages/tones.ts'
import { rowActions } from '../state/actions.ts'
import { completions } from '../state/commands.ts'
import { focused } from '../state/navigation.ts'
import { here, type Prompt, type State, viewOf } from '../state/state.ts'
import { EditLine } from './overlay.tsx'
import type { Theme } from './theme.ts'

interface Props {
  readonly state: State
  readonly width: number
  readonly theme: Theme
}

/** The top line: where this is, how many things wait, and how old the data is. */
export function Header({ state, width, theme }: Props): ReactNode {
  const { text, tone } = connectionStatus(state)
  const waiting = waitingText(state)
  const right = waiting === '' ? text : `${waiting} · ${text}`
  const location = truncate(
    ` gc  ${sanitizeLine(locationOf(here(state)))}`,
    Math.max(4, width - displayWidth(right) - 2),
  )
  const gap = ' '.repeat(Math.max(1, width - displayWidth(location) - displayWidth(right) - 1))
  return (
    <Text wrap="truncate">
      <Text {...theme('strong')}>{location}</Text>
      {gap}
      {waiting !== '' && <Text {...theme('warning')}>{`${waiting} · `}</Text>}
      <Text {...theme(tone)}>{text}</Text>
    </Text>
  )
}

/** `town › session › gc-12`; the overview of a city is its name. */
function locationOf({ page, city, subject }: Location): string {
  const title = page === 'overview' ? '' : pageOf({ page, city, subject }).title
  return [city, title, subject].filter((part) => part !== '').join(' › ')
}

function waitingText(state: State): string {
  const { city } = here(state)
  const count = city === '' ? 0 : viewOf(state, { page: 'attention', city, subject: '' }).rows.length
  return count === 0 ? '' : `! ${count} waiting`
}

/** The age of data older than this is shown, even while the stream is connected. */
const STALE_MS = 20_000

function connectionStatus(state: State): { text: string; tone: Tone } {
  const { connection, now } = state
  const { loadedAt } = viewOf(state, focused(state))
  const age = loadedAt === undefined ? '' : ` · data ${formatDuration(now - loadedAt)} old`
  if (connection.live) return { text: 'live', tone: 'good' }
  const away = now - connection.since
  if (away < 1000 && loadedAt === undefined) return { text: 'connecting', tone: 'busy' }
  return { text: `reconnecting for ${formatDuration(away)}${age}`, tone: away > STALE_MS ? 'bad' : 'warning' }
}

/** The bottom line: what is typed, else a notice, else the keys of what is selected. */
export function Footer({ state, width, theme }: Props): ReactNode {
  if (state.prompt) return <PromptLine {...{ state, width, theme }} prompt={state.prompt} />
  if (state.notice) {
    const { text, isBad } = state.notice
    return <Text {...theme(isBad ? 'bad' : 'good')}>{truncate(` ${sanitizeLine(text)}`, width - 1)}</Text>
  }
  return (
    <Box>
      <Text {...theme('quiet')}>{truncate(` ${hintsOf(state)}`, width - 1)}</Text>
    </Box>
  )
}

function PromptLine({ state, prompt, width, theme }: Props & { prompt: Prompt }): ReactNode {
  const found = prompt.kind === 'command' ? completions(state, prompt.edit.text).slice(0, 12).join(' ') : ''
  const room = Math.max(20, width - 4 - Math.min(displayWidth(found), Math.floor(width / 2)))
  return (
    <Box>
      <EditLine edit={prompt.edit} width={room} mark={prompt.kind === 'filter' ? ' /' : ' :'} />
      <Text {...theme('quiet')}>
        {truncate(`  ${sanitizeLine(found)}`, Math.max(0, width - displayWidth(prompt.edit.text) - 5))}
      </Text>
    </Box>
  )
}

/** The keys of what is selected, then those of every page. */
function hintsOf(state: State): string {
  const able = rowActions(state).filter(({ action }) => action.disabled === undefined)
  const own = able.map(({ action }) => `${action.key} ${action.name}`)
  return ['enter open', ...own, '/ filter', ': command', 'esc back', '? help', 'q quit'].join(' · ')
}
