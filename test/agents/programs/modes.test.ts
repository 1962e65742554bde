import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { resolveProvider } from '../../../src/config/providers/resolve.ts'
import { startProgram } from './asked-program.ts'
import { claude, codex, gemini, type Program, WORKED_MODES } from './programs.ts'

setDefaultTimeout(180_000)

/** The modes of which other tests show that a program starts in them: it works there. */
const worked = Object.values(WORKED_MODES).flatMap((modes) =>
  Object.entries(modes).flatMap(([provider, values]) => values.map((value: string) => `${provider} ${value}`)),
)

/** Every other value of the options that decide what a program may do. */
const modesOf = ({ provider }: Program): [key: string, value: string][] =>
  resolveProvider(provider, new Map())
    .optionsSchema.filter(({ key }) => key === 'permission_mode' || key === 'sandbox')
    .flatMap(({ key, choices }) => choices.map(({ value }): [string, string] => [key, value]))
    .filter(([key, value]) => key !== 'permission_mode' || !worked.includes(`${provider} ${value}`))

describe.each([claude, codex, gemini])('every other mode of $provider', (program) => {
  test.each(modesOf(program))('starts: %s %s', async (key, value) => {
    await using started = await startProgram(program, { options: { [key]: value } })
    expect(await started.settle()).toEqual({ is: 'ready' })
  })
})
