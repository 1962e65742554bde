import { expect, test } from 'bun:test'
import { PassThrough } from 'node:stream'
import { ScreenView } from '../../../tui/screen-view.ts'
import { readSettings } from '../../../tui/settings/settings.ts'
import { alpha } from '../state/world.ts'

test('a terminal is raw before anything is written to it, and given back after the last of it', async () => {
  const steps: string[] = []
  const input = Object.assign(new PassThrough(), { setRawMode: (isRaw: boolean) => void steps.push(`raw ${isRaw}`) })
  const output = Object.assign(new PassThrough(), { columns: 80, rows: 24, isTTY: true })
  output.on('data', () => steps.at(-1) !== 'written' && steps.push('written'))
  const { settings } = readSettings('', {})
  {
    using view = new ScreenView({ input, output, settings, attach: async () => '' }, alpha)
    const ended = view.run(() => {})
    view.exit()
    await ended
  }
  expect(steps).toEqual(['raw true', 'written', 'raw false', 'written', 'raw false'])
})
