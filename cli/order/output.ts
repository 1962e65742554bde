import type { CityClient } from '../../src/client/client.ts'
import { sanitizeLine, sanitizeLines } from '../../src/client/text.ts'
import type { OrderHistoryEntry } from '../../src/orchestration/orders/index.ts'
import type { CommandContext } from '../context/context.ts'
import { failure } from '../io/exit.ts'
import type { Io } from '../io/io.ts'
import { timers } from '../io/timers.ts'

/** Prints what the command of a run prints, line by line; returns how the run ended, undefined when interrupted. */
export async function followRun(
  { io }: CommandContext,
  city: CityClient,
  bead: string,
  print: (text: string) => void = (text) => io.out(text),
): Promise<OrderHistoryEntry | undefined> {
  const ended = new AbortController()
  const lines = new LinePrinter(print)
  const frames = city.follow(
    'GET ~/order/history/{bead_id}/stream',
    { params: { bead_id: bead } },
    {
      signal: AbortSignal.any([io.signal, ended.signal]),
      timers,
      onStateChange: (state) => {
        if (state === 'connected') lines.restart()
      },
    },
  )
  for await (const { event, data } of frames) {
    if (event === 'output') lines.add(data.text)
    if (event !== 'ended') continue
    lines.end()
    ended.abort()
    return data.run
  }
  lines.end()
  return undefined
}

/** Prints complete lines. A stream that connects again begins again: what was printed is not printed twice. */
class LinePrinter {
  #pending = ''
  #seen = 0
  #received = 0

  constructor(private readonly print: (text: string) => void) {}

  restart(): void {
    this.#seen = 0
  }

  add(text: string): void {
    const known = Math.max(0, this.#received - this.#seen)
    this.#seen += text.length
    this.#received = Math.max(this.#received, this.#seen)
    const pieces = (this.#pending + text.slice(known)).split('\n')
    this.#pending = pieces.pop() ?? ''
    if (pieces.length > 0) this.print(`${sanitizeLines(pieces.join('\n'))}\n`)
  }

  end(): void {
    if (this.#pending !== '') this.print(`${sanitizeLines(this.#pending)}\n`)
    this.#pending = ''
  }
}

export const hasFailed = ({ labels }: Pick<OrderHistoryEntry, 'labels'>): boolean =>
  labels?.some((label) => /-(failed|canceled)$/.test(label)) ?? false

/** Says how a run ended; one that failed makes the command fail. */
export function reportEnd(io: Io, run: OrderHistoryEntry | undefined): void {
  if (!run) return
  if (hasFailed(run)) throw failure(sentenceOf(run))
  io.err(`${sentenceOf(run)}\n`)
}

/** Outcome of a run, in words. */
export function sentenceOf(run: OrderHistoryEntry): string {
  const { scoped_name, bead_id, duration_ms = '0', error } = run
  const length = `${(Number(duration_ms) / 1000).toFixed(1)} s`
  const [reason] = (error ?? 'it was canceled').split('; output: ')
  return hasFailed(run)
    ? `order ${scoped_name} failed after ${length}: ${sanitizeLine(reason ?? '')}; \`gc order show ${bead_id}\` shows the run`
    : `order ${scoped_name} succeeded after ${length}`
}
