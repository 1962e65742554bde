import { appendFileSync, chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionResponse } from '../../../src/work/schema.ts'
import { openTown } from '../../cli/town.ts'
import { append, write } from '../../programs/samples.ts'
import { conforms } from '../../support/conforms.ts'

/** A program that reads lines at a prompt and says each back. */
const ECHO_PROGRAM = `#!/bin/sh
printf '\\033[2J\\033[H> '
while IFS= read -r line; do
  [ "$line" = quit ] && exit 0
  printf '\\033[2J\\033[Hheard %s\\n> ' "$line"
done
`

const provider = (program: string, home: string) => `
[providers.scribe]
base = "builtin:claude"
command = "${program}"
prompt_mode = "none"
ready_prompt_prefix = "> "
[providers.scribe.env]
HOME = "${home}"
`

/**
 * A supervisor with a city whose sessions run a program that is in for Claude Code at its terminal. What Claude would
 * log of a session is written by the test, into the home that the provider's environment names.
 */
export async function openRecordingCity(more: (at: (...path: string[]) => string) => string = () => '') {
  const town = await openTown()
  const home = town.at('scribes')
  const program = town.at('parrot')
  writeFileSync(program, ECHO_PROGRAM)
  chmodSync(program, 0o755)
  mkdirSync(home)
  appendFileSync(join(town.city, 'city.toml'), provider(program, home) + more(town.at))
  const base = `${town.url}/v0/city/town`
  const document = { ...Object(await (await fetch(`${town.url}/openapi.json`)).json()) }
  const get = async <T>(path: string): Promise<{ status: number; body: T }> => {
    const response = await fetch(base + path)
    const text = await response.text()
    const body: T = JSON.parse(text)
    conforms(document, 'GET', `/v0/city/town${path}`, response.status, body)
    return { status: response.status, body }
  }
  const until = async <T>(path: string, holds: (body: T) => boolean): Promise<T> => {
    for (const end = performance.now() + 10_000; performance.now() < end; ) {
      const { body } = await get<T>(path)
      if (holds(body)) return body
      await new Promise((resolve) => setImmediate(resolve))
    }
    throw new Error(`${path} did not become what was waited for: ${JSON.stringify((await get(path)).body)}`)
  }
  await until<{ providers: object }>('/config', ({ providers }) => 'scribe' in providers)
  return {
    ...town,
    base,
    scribes: home,
    get,
    until,
    /** Writes lines to the log that Claude would keep of a conversation in the city's folder. */
    log(key: string, ...lines: readonly unknown[]): string {
      const path = join(home, '.claude', 'projects', town.city.replace(/[/.]/g, '-'), `${key}.jsonl`)
      append(write(path, ''), ...lines)
      return path
    },
    start: (alias: string, agent = 'clerk') => town.json<SessionResponse>(['session', 'new', agent, '--alias', alias]),
    [Symbol.asyncDispose]: () => town[Symbol.asyncDispose](),
  }
}

/** The frames of a stream as they come in. */
export function framesOf(response: Response) {
  const frames: { id?: string; event: string; data: Record<string, unknown> }[] = []
  const waiting = new Set<() => void>()
  let ended = false
  const read = async () => {
    let rest = ''
    for await (const chunk of response.body ?? []) {
      const pieces = (rest + new TextDecoder().decode(chunk)).split('\n\n')
      rest = pieces.pop() ?? ''
      for (const piece of pieces) {
        const [, id] = /^id: (.*)$/m.exec(piece) ?? []
        const [, event] = /^event: (.*)$/m.exec(piece) ?? []
        const [, data = '{}'] = /^data: (.*)$/m.exec(piece) ?? []
        if (event) frames.push({ ...(id && { id }), event, data: JSON.parse(data) })
      }
      for (const wake of waiting) wake()
    }
  }
  const whole = read()
    .catch(() => {})
    .then(() => {
      ended = true
      for (const wake of waiting) wake()
    })
  return {
    frames,
    whole,
    /** The next frame of a kind, not counting those that were asked for before. */
    async next(event: string, within = 10_000) {
      for (const end = performance.now() + within; ; ) {
        const at = frames.findIndex((frame) => frame.event === event)
        if (at >= 0) return frames.splice(0, at + 1).at(-1)?.data ?? {}
        if (ended || performance.now() > end) throw new Error(`no ${event} came; ${JSON.stringify(frames)}`)
        await new Promise<void>((resolve) => {
          const late = AbortSignal.timeout(Math.max(1, end - performance.now()))
          late.addEventListener('abort', () => resolve())
          waiting.add(resolve)
        })
      }
    },
  }
}
