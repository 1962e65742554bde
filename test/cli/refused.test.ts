import { describe, expect, test } from 'bun:test'
import { openTown } from './town.ts'

describe('a request that the server turns down', () => {
  test('ends with status 1 and the server’s sentence, nothing on standard output', async () => {
    await using town = await openTown()
    for (const args of [
      ['bead', 'show', 'to-99999', '--json'],
      ['agent', 'add', 'nowhere/x', '--command', 'cat'],
      ['rig', 'add', town.at('not-there')],
      ['sling', 'shop/nobody', 'Work'],
      ['session', 'stop', 'nobody'],
      ['--city', 'nowhere', 'status'],
    ]) {
      const { status, out, err } = await town.gc(args)
      expect({ args, status, out }).toEqual({ args, status: 1, out: '' })
      expect(err).toMatch(/^gc: .{10,}\n$/)
    }
    expect(town.reports).toEqual([])
  })

  test('in read-only mode reads go through and changes do not', async () => {
    await using town = await openTown({ readOnly: true })
    expect((await town.gc(['city', 'list'])).out).toBe('There is no city yet; make one with `gc init <folder>`.\n')
    const { status, err } = await town.gc(['init', town.at('another')])
    expect(status).toBe(1)
    expect(err).toMatch(/^gc: .*read.only/i)
  })

  test('where a token is required, the operator’s file is it and a wrong one is nobody', async () => {
    await using town = await openTown({ requireToken: true })
    expect((await town.gc(['city', 'list'])).status).toBe(0)
    const wrong = await town.gc(['city', 'list'], { env: { GC_TOKEN: 'gco_wrong' } })
    expect(wrong.status).toBe(1)
    expect(wrong.err).toStartWith('gc: ')
    const none = await town.gc(['city', 'list'], { env: { GC_HOME: town.at('elsewhere') } })
    expect(none.status).toBe(1)
  })

  test('work in a city that is not chosen is a question, and in none an invitation', async () => {
    await using town = await openTown({ readOnly: true })
    const { status, err } = await town.gc(['bead', 'list'], { cwd: '/' })
    expect({ status, err }).toEqual({ status: 1, err: 'gc: there is no city yet; make one with `gc init <folder>`\n' })
  })
})
