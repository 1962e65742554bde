import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Script } from './model-server.ts'
import { claude, type Program } from './programs.ts'
import { openTown, type TownEvent } from './town.ts'

setDefaultTimeout(180_000)

/** The modes of each program that ask. */
const ASKING: readonly (readonly [Program, readonly string[]])[] = [[claude, ['ask', 'auto-edit']]]

const protocol = (bead: string): string[] => [
  'gc hook --claim --json',
  `bd show ${bead} --json`,
  `bd update ${bead} --set-metadata gc.outcome=pass --append-notes "Looked; it's fine"`,
  `bd comment ${bead} 'All of it'`,
  `gc mail send human -s "About ${bead}" -m "Is that all?"`,
  'gc prime --json',
]

/** Takes a bead and works by the protocol of gc alone; then tries what is not in it. */
const worker =
  ({ shell }: Program, then: string): Script =>
  ({ results }) => {
    const bead = /\\?"bead_id\\?":\\?"([\w-]+)/.exec(results[0] ?? '')?.[1] ?? 'none'
    const line = [...protocol(bead), then][results.length]
    return line === undefined ? { text: 'Done.' } : shell(line)
  }

const agent = ({ provider }: Program, mode: string) => `
[[agent]]
name = "worker"
dir = "web"
provider = "${provider}"
option_defaults = { permission_mode = "${mode}" }
`

const cases = ASKING.flatMap(([program, modes]) => modes.map((mode) => [program.provider, mode, program] as const))

describe.each(cases)('%s in the mode %s', (_, mode, program) => {
  test('works on a bead without a question, and asks about what is not of the protocol', async () => {
    const script = worker(program, 'gc ready --json; touch smuggled')
    await using town = await openTown(script, '', program)
    await town.declare(agent(program, mode))
    const { id } = JSON.parse(await town.gc('bead', 'create', 'Look at it', '--rig', 'web', '--json'))
    await town.gc('sling', 'web/worker', id)
    const asks = ({ type }: TownEvent) => type === 'session.asked'
    const events = await town.events((event) => asks(event))
    expect(events.at(-1)?.payload.text).toContain('touch smuggled')
    expect(events.filter(asks)).toHaveLength(1)
    const bead = JSON.parse(await town.gc('bead', 'show', id, '--json'))
    expect(bead).toMatchObject({ id, status: 'in_progress', metadata: { 'gc.outcome': 'pass' } })
    expect(await town.gc('bead', 'comments', id)).toContain('All of it')
    expect(events.map(({ type }) => type)).toContain('mail.sent')
    expect(existsSync(join(town.rig, 'smuggled'))).toBe(false)
  })
})
