import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Deadlines } from '../../../src/core/deadlines.ts'
import { chooseOption } from '../../../src/host/terminal/choose.ts'
import { hasFields, readFields } from '../../../src/host/terminal/form-fields.ts'
import { findQuestion, isSameQuestion, type ScreenQuestion } from '../../../src/host/terminal/question.ts'
import { ScreenWatcher } from '../../../src/host/terminal/screen-watcher.ts'
import { profileOf } from '../../../src/programs/screens.ts'
import { tempFolder } from '../../support/folder.ts'
import { Terminals } from './terminals.ts'

const PROGRAM = join(import.meta.dir, 'programs/form.ts')
const profile = profileOf({ name: 'claude' })
const deadlines = new Deadlines()

/** A program that shows a form, with what its fields take. */
async function shown() {
  const folder = tempFolder()
  const terminals = new Terminals()
  terminals.start('s', [process.execPath, PROGRAM, folder.at('log')], { cwd: folder.path })
  const watch = new ScreenWatcher(terminals, 's', deadlines)
  const form = await watch.until(20_000, ({ screen, quiet }) => (quiet ? findQuestion(screen, profile) : undefined))
  watch.close()
  if (!form) throw new Error('it shows no form')
  const options = await readFields(form, { host: terminals, key: 's', profile, deadlines })
  return {
    form,
    options,
    terminals,
    answer: (taken: string[], text: string) => {
      const choice = { isAsked: (seen: ScreenQuestion) => isSameQuestion(seen, form), options, taken, text }
      return chooseOption(terminals, 's', { profile }, choice, { deadlines, within: 20_000 })
    },
    sent: () => JSON.parse(readFileSync(folder.at('log'), 'utf8')),
    async [Symbol.asyncDispose]() {
      await terminals[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

describe.concurrent('a form on a screen', () => {
  test('is read with what each field takes, which only the marked one shows, stays as it was, and is declined', async () => {
    await using asked = await shown()
    expect(hasFields(asked.form)).toBe(true)
    const text = { ticks: true, text: 'required', role: 'other' } as const
    expect(asked.options).toEqual([
      { id: '1', label: 'Place: Where it goes', ...text, choices: ['Staging', 'Production', 'Nowhere at all'] },
      { id: '2', label: 'Sizes: Which sizes', ...text, choices: ['small', 'large', 'huge'], several: true },
      { id: '3', label: 'Sure: Whether you are sure', role: 'other', ticks: true },
      { id: '4', label: 'Note: What to say', ...text },
      { id: 'Accept', label: 'Accept', role: 'allow-once' },
      { id: 'Decline', label: 'Decline', role: 'deny' },
    ])
    const now = findQuestion(await asked.terminals.screen('s'), profile)
    expect(now).toMatchObject({ id: asked.form.id, at: 0 })
    expect(await asked.answer(['Decline'], '')).toBe('taken')
    expect(asked.sent()).toMatchObject({ action: 'decline', Place: [] })
  })

  test('is filled and sent: choices by number or words, boxes, and texts', async () => {
    await using asked = await shown()
    expect(await asked.answer(['1', '2', '3', '4'], 'nowhere at all\n3, small\nAs green as grass')).toBe('taken')
    expect(asked.sent()).toEqual({
      ...{ action: 'accept', Place: ['Nowhere at all'], Sizes: ['small', 'huge'] },
      ...{ Sure: ['yes'], Note: ['As green as grass'] },
    })
  })

  test('is sent without the fields that are not named, and not at all when a choice is not in its list', async () => {
    await using asked = await shown()
    expect(await asked.answer(['1'], 'Mars')).toBe('stuck')
    expect(await asked.answer(['1'], '2')).toBe('taken')
    expect(asked.sent()).toEqual({ action: 'accept', Place: ['Production'], Sizes: [], Sure: [], Note: [] })
  })
})
