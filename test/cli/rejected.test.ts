import { describe, expect, test } from 'bun:test'
import { openTown } from './town.ts'

describe('a request that the server rejects', () => {
  test('in read-only mode reads succeed and changes fail', async () => {
    await using town = await openTown({ readOnly: true })
    expect((await town.gc(['city', 'list'])).out).toBe('There is no city yet; create one with `gc init <folder>`.\n')
    const { status, err } = await town.gc(['init', town.at('another')])
    expect(status).toBe(1)
    expect(err).toMatch(/^gc: .*read.only/i)
  })

  test('the operator’s token file is used when a token is required, and a wrong token is rejected', async () => {
    await using town = await openTown({ requireToken: true })
    expect((await town.gc(['city', 'list'])).status).toBe(0)
    const wrong = await town.gc(['city', 'list'], { env: { GC_TOKEN: 'gco_wrong' } })
    expect(wrong.status).toBe(1)
    expect(wrong.err).toStartWith('gc: ')
    const none = await town.gc(['city', 'list'], { env: { GC_HOME: town.at('elsewhere') } })
    expect(none.status).toBe(1)
  })

  test('without a chosen city an error lists the cities, or says how to make one', async () => {
    await using town = await openTown({ readOnly: true })
    const { status, err } = await town.gc(['bead', 'list'], { cwd: '/' })
    expect({ status, err }).toEqual({
      status: 1,
      err: 'gc: there is no city yet; create one with `gc init <folder>`\n',
    })
  })
})
