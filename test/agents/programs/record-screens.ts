import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findQuestion } from '../../../src/host/terminal/question.ts'
import type { TerminalScreen } from '../../../src/host/terminal/terminal-host.ts'
import { profileOf } from '../../../src/programs/screens.ts'
import { drawnScreen } from '../screens/drawn-screen.ts'
import { type StartedProgram, startProgram } from './asked-program.ts'
import { CASES } from './cases/all.ts'
import type { AskedCase } from './cases/case.ts'

/**
 * Records what each program writes until it asks, in the size of a session and with room, for `test/agents/screens`.
 * Run by hand when a program changes: `npx bun test/agents/programs/record-screens.ts [words of a program and question]`.
 */
const FOLDER = join(import.meta.dir, '../screens/recorded')
const SIZES = { narrow: { cols: 120, rows: 40 }, wide: { cols: 1000, rows: 300 } } as const
/** So often, twenty times a second, the screen must be seen to ask the same. */
const STEADY_LOOKS = 40
const EXPANDED_MS = 1_500

async function record(asked: AskedCase, name: string, size: keyof typeof SIZES): Promise<void> {
  const { widest = Number.POSITIVE_INFINITY } = profileOf({ name: asked.program.provider })
  const { cols, rows } = SIZES[size]
  const room = { cols: Math.min(cols, widest), rows }
  await using started = await startProgram(asked.program, { ...asked.start, size: room, isUnwatched: true })
  const { profile } = started
  const screen = async () => drawnScreen(await started.output(), room.cols, room.rows)
  await asked.typed?.(started)
  if (!(await asksSteadily(started, screen))) throw new Error('it never asked')
  const showsMore = profile.expands?.test(await started.screen()) ?? findQuestion(await screen(), profile)?.cut
  if (size === 'wide' && profile.expand && showsMore) {
    await started.press(profile.expand)
    await Bun.sleep(EXPANDED_MS)
  }
  writeFileSync(join(FOLDER, `${name}.${size}.gz`), Bun.gzipSync(new Uint8Array(await started.output())))
}

async function asksSteadily(
  { profile, until }: StartedProgram,
  screen: () => Promise<TerminalScreen>,
): Promise<boolean> {
  let last: string | undefined
  let looks = 0
  const steady = await until(async () => {
    const question = findQuestion(await screen(), profile)
    const id = question?.isDrawing ? undefined : question?.id
    looks = id !== undefined && id === last ? looks + 1 : 0
    last = id
    return looks >= STEADY_LOOKS || undefined
  })
  return steady ?? false
}

mkdirSync(FOLDER, { recursive: true })
const words = process.argv.slice(2).join(' ')
for (const asked of CASES) {
  const title = `${asked.program.provider} ${asked.name}`
  if (!title.includes(words)) continue
  const name = title.replaceAll(/[^a-z0-9]+/gi, '-')
  for (const size of ['narrow', 'wide'] as const) {
    await record(asked, name, size).then(
      () => process.stdout.write(`${name}.${size}\n`),
      (error) => process.stderr.write(`${name}.${size}: ${error}\n`),
    )
  }
}
