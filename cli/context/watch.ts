import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { ApiError, Unreachable } from '../../src/client/errors.ts'
import { type Io, pause } from '../io/io.ts'
import type { CommandContext } from './context.ts'

/** What every command that can go on looking takes. */
export interface WatchOption {
  watch?: true
}

export const withWatch = (command: Command): Command =>
  command.option('-w, --watch', 'update the output on every change, until ctrl-c')

/** Writes what is to be seen now; `over` when it will not change any more. */
export type Render = (io: Io) => Promise<void> | Promise<'over' | undefined>

const CLEAR = '\u001b[H\u001b[2J\u001b[3J'
/** Between two looks, however much happens. */
const PAUSE_MS = 100
/** How long a supervisor that was there may be away: it may be starting again. */
const MAX_OUTAGE_MS = 30_000

/**
 * Draws once; when the person watches, again after every event that made a difference. On a terminal each picture
 * takes the place of the last; elsewhere they follow each other.
 */
export async function renderLive(
  context: CommandContext,
  city: CityClient,
  { watch }: { watch?: true | undefined },
  paint: Render,
): Promise<void> {
  if (!watch) return void (await paint(context.io))
  const { io } = context
  let shown: string | undefined
  let away: number | undefined
  for (let seen = await newestIndex(city); !io.signal.aborted; ) {
    try {
      const picture = await capture(io, paint)
      away = undefined
      if (picture.text !== shown) io.out((io.width === undefined ? '' : CLEAR) + picture.text)
      shown = picture.text
      if (picture.over) return
      await pause(PAUSE_MS, io.signal)
      seen = await newestIndex(city, seen)
    } catch (error) {
      if (io.signal.aborted) return
      away ??= Date.now()
      if (!isPassing(error) || shown === undefined || Date.now() - away > MAX_OUTAGE_MS) throw error
      await pause(PAUSE_MS * 10, io.signal)
    }
  }
}

async function capture(io: Io, paint: Render): Promise<{ text: string; over: boolean }> {
  let text = ''
  const out = (more: string) => {
    text += more
  }
  const end = await paint({ ...io, out })
  return { text, over: end === 'over' }
}

/** The number of the city's newest event; with `seen`, once there is a newer one or half a minute has passed. */
export async function newestIndex(city: CityClient, seen?: string): Promise<string> {
  const call = { query: { limit: 1 }, ...(seen !== undefined && { newerThan: seen }) }
  return (await city.callIndexed('GET ~/events', call)).index
}

/** Nobody answers, or the city is not up again yet. */
const isPassing = (error: unknown): boolean =>
  error instanceof Unreachable ||
  (error instanceof ApiError && (error.status >= 502 || error.code === 'city-not-found'))
