import { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { ApiError, Unreachable } from '../../src/client/errors.ts'
import { type Io, pause } from '../io/io.ts'
import { timers } from '../io/timers.ts'
import type { CommandContext } from './context.ts'

/** The option of every command that can update its output. */
export interface WatchOption {
  watch?: true
}

export const withWatch = (command: Command): Command =>
  command.option('-w, --watch', 'update on every change until ctrl-c')

/** Writes the current output; returns `over` when it will not change any more. */
export type Render = (io: Io) => Promise<void> | Promise<'over' | undefined>

const CLEAR = '\u001b[H\u001b[2J\u001b[3J'
/** The minimum time between two updates. */
const PAUSE_MS = 100
/** Maximum time the supervisor may be unreachable, since it may be restarting. */
const MAX_OUTAGE_MS = 30_000

/**
 * Renders once, and with `--watch` again after every event that changes the output. On a terminal each output replaces
 * the one before; elsewhere they follow each other.
 */
export const renderLive = (
  { io }: CommandContext,
  city: CityClient,
  options: { watch?: true | undefined },
  paint: Render,
): Promise<void> => renderOnChange(io, (after) => newestIndex(city, after), options, paint)

/** The same for what belongs to no city. */
export const renderAllLive = (context: CommandContext, options: WatchOption, paint: Render): Promise<void> =>
  renderOnChange(context.io, (after) => newestOfAll(context, after), options, paint)

/** The number of the newest event; with `after`, waits some time for a newer one. */
type Newest = (after?: string) => Promise<string>

async function renderOnChange(
  io: Io,
  newest: Newest,
  { watch }: { watch?: true | undefined },
  paint: Render,
): Promise<void> {
  if (!watch) return void (await paint(io))
  let shown: string | undefined
  let warned = ''
  let unreachableSince: number | undefined
  for (let index = await newest(); !io.signal.aborted; ) {
    try {
      const rendered = await capture(io, paint)
      unreachableSince = undefined
      if (rendered.text !== shown) io.out((io.width === undefined ? '' : CLEAR) + rendered.text)
      shown = rendered.text
      if (rendered.warnings !== warned) io.err(rendered.warnings)
      warned = rendered.warnings
      if (rendered.over) return
      await pause(PAUSE_MS, io.signal)
      index = await newest(index)
    } catch (error) {
      if (io.signal.aborted) return
      unreachableSince ??= Date.now()
      if (!isPassing(error) || shown === undefined || Date.now() - unreachableSince > MAX_OUTAGE_MS) throw error
      await pause(PAUSE_MS * 10, io.signal)
    }
  }
}

/**
 * The action of a command with `--watch` that shows something of the city to work in, on the context that it is given.
 * Commander calls it with the arguments, the options and the command.
 */
export function watched<Args extends unknown[]>(
  context: CommandContext,
  show: (shown: CommandContext, ...args: Args) => Promise<void>,
): (...args: Args) => Promise<void> {
  return async (...args) => {
    const command = args.at(-1)
    const { watch } = command instanceof Command ? command.opts<WatchOption>() : {}
    if (!watch) return show(context, ...args)
    await renderLive(context, await context.city(), { watch }, (io) => show(context.printingTo(io), ...args))
  }
}

async function capture(io: Io, paint: Render): Promise<{ text: string; warnings: string; over: boolean }> {
  let text = ''
  let warnings = ''
  const out = (more: string) => {
    text += more
  }
  const err = (more: string) => {
    warnings += more
  }
  const end = await paint({ ...io, out, err })
  return { text, warnings, over: end === 'over' }
}

/** The index of the city's newest event; with `after`, waits half a minute for a newer one. */
export async function newestIndex(city: CityClient, after?: string): Promise<string> {
  const call = { query: { limit: 1 }, ...(after !== undefined && { newerThan: after }) }
  return (await city.callIndexed('GET ~/events', call)).index
}

/** Time the events of all cities are awaited immediately. */
const MAX_WAIT_MS = 30_000

/** The cursor of the newest event of all cities and of the supervisor; with `after`, waits for a newer one. */
async function newestOfAll({ client, io }: CommandContext, after?: string): Promise<string> {
  if (after !== undefined) {
    const signal = AbortSignal.any([io.signal, AbortSignal.timeout(MAX_WAIT_MS)])
    const events = client.follow('GET /v0/events/stream', {}, { after, signal, timers })
    const { done } = await events.next()
    await events.return(undefined)
    if (done) return after
  }
  return (await client.call('GET /v0/events', { query: { limit: 1 } })).event_cursor
}

/** True if the supervisor or its city may only be restarting. */
const isPassing = (error: unknown): boolean =>
  error instanceof Unreachable ||
  (error instanceof ApiError && (error.status >= 502 || error.code === 'city-not-found'))
