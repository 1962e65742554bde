import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { terminalProfileOf } from '../../../src/agents/launch/terminal-profiles.ts'
import { resolveProvider } from '../../../src/config/providers/resolve.ts'
import { findQuestion } from '../../../src/host/terminal/question.ts'
import { drawnScreen } from './drawn-screen.ts'

/** Output of real programs until they asked; `test/agents/programs/record-screens.ts` records it. */
const FOLDER = join(import.meta.dir, 'recorded')
const SIZES = { narrow: [120, 40], wide: [1000, 300] } as const

const RECORDED = readdirSync(FOLDER)
  .map((file) => /^(.*)\.narrow\.gz$/.exec(file)?.[1])
  .filter((name) => name !== undefined)
  .sort()

/** The question on the screen on which a program wrote what was recorded. */
async function read(name: string, size: keyof typeof SIZES) {
  const profile = terminalProfileOf(resolveProvider(name.split('-')[0] ?? '', new Map()))
  const [cols, rows] = SIZES[size]
  const bytes = Bun.gunzipSync(readFileSync(join(FOLDER, `${name}.${size}.gz`)))
  const screen = await drawnScreen(bytes, Math.min(cols, profile.widest ?? cols), rows)
  const question = findQuestion(screen, profile)
  if (!question) throw new Error(`no question is found on this screen:\n${screen.lines.join('\n')}`)
  return question
}

describe('the recorded screen of', () => {
  test.each(RECORDED)('%s is read', async (name) => {
    const [narrow, wide] = await Promise.all([read(name, 'narrow'), read(name, 'wide')])
    const { kind, prompt, text, cut, options, at } = wide
    const folder = /\/tmp\/gc-test-\w+\/work/.exec(text)?.[0] ?? '/work'
    const subject = terminalProfileOf(resolveProvider(name.split('-')[0] ?? '', new Map())).subject?.(wide, folder)
    const answers = options.map(({ label, description, role }) =>
      [`${role}: ${label}`, ...(description === undefined ? [] : [description])].join(' – '),
    )
    expect({ kind, prompt, text: text.split('\n'), cut, answers, at, subject }).toMatchSnapshot()
    expect(narrow).toMatchObject({ kind, prompt, at })
    expect(narrow.options.length).toBeGreaterThan(0)
  })
})
