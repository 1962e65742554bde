import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { ClientProblem, Unreachable } from '../../src/client/problem.ts'
import { type Io, rest } from '../io/io.ts'
import type { Here } from './context.ts'

/** What every command that can go on looking takes. */
export interface Watch {
  watch?: true
}

export const withWatch = (command: Command): Command =>
  command.option('-w, --watch', 'show it again whenever it changes, until ctrl-c')

/** Writes what is to be seen now; `over` when it will not change any more. */
export type Draw = (io: Io) => Promise<void> | Promise<'over' | undefined>

const CLEAR = '\u001b[H\u001b[2J\u001b[3J'
/** Between two looks, however much happens. */
const PAUSE_MS = 100
/** How long a supervisor that was there may be away: it may be starting again. */
const PATIENCE_MS = 30_000

/**
 * Draws once; when the person watches, again after every event that made a difference. On a terminal each picture
 * takes the place of the last; elsewhere they follow each other.
 */
export async function draw(
  here: Here,
  city: CityClient,
  { watch }: { watch?: true | undefined },
  paint: Draw,
): Promise<void> {
  if (!watch) return void (await paint(here.io))
  const { io } = here
  let shown: string | undefined
  let away: number | undefined
  for (let seen = await head(city); !io.signal.aborted; ) {
    try {
      const picture = await painted(io, paint)
      away = undefined
      if (picture.text !== shown) io.out((io.width === undefined ? '' : CLEAR) + picture.text)
      shown = picture.text
      if (picture.over) return
      await rest(PAUSE_MS, io.signal)
      seen = await head(city, seen)
    } catch (error) {
      if (io.signal.aborted) return
      away ??= Date.now()
      if (!isPassing(error) || shown === undefined || Date.now() - away > PATIENCE_MS) throw error
      await rest(PAUSE_MS * 10, io.signal)
    }
  }
}

async function painted(io: Io, paint: Draw): Promise<{ text: string; over: boolean }> {
  let text = ''
  const out = (more: string) => {
    text += more
  }
  const end = await paint({ ...io, out })
  return { text, over: end === 'over' }
}

/** The number of the city's newest event; with `seen`, once there is a newer one or half a minute has passed. */
export async function head(city: CityClient, seen?: string): Promise<string> {
  const call = { query: { limit: 1 }, ...(seen !== undefined && { newerThan: seen }) }
  return (await city.callIndexed('GET ~/events', call)).index
}

/** Nobody answers, or the city is not up again yet. */
const isPassing = (error: unknown): boolean =>
  error instanceof Unreachable ||
  (error instanceof ClientProblem && (error.status >= 502 || error.code === 'city-not-found'))
