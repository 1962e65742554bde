import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { resolveProvider } from '../../../src/config/providers/resolve.ts'
import { startProgram } from './asked-program.ts'
import { claude, codex, gemini, type Program } from './programs.ts'

setDefaultTimeout(180_000)

/** Every value of the options that decide what a program may do. */
const modesOf = ({ provider }: Program): [key: string, value: string][] =>
  resolveProvider(provider, new Map())
    .optionsSchema.filter(({ key }) => key === 'permission_mode' || key === 'sandbox')
    .flatMap(({ key, choices }) => choices.map(({ value }): [string, string] => [key, value]))

describe.each([claude, codex, gemini])('every mode of $provider', (program) => {
  test.each(modesOf(program))('starts: %s %s', async (key, value) => {
    await using started = await startProgram(program, { options: { [key]: value } })
    expect(await started.settle()).toEqual({ is: 'ready' })
  })
})
