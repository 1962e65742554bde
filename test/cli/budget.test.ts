import { expect, test } from 'bun:test'
import { shareTown, type Town } from './town.ts'

let town: Town
shareTown((opened) => {
  town = opened
})

test('budget set, list and strict name the agents whose use is unknown, and what to do about them', async () => {
  await town.gc(['agent', 'add', 'script', '--command', 'cat'])
  const set = await town.gc(['budget', 'set', '5usd', '--agent', 'script'])
  const unknown = 'The use of these agents is unknown, since their programs do not report it: script. They get no turn.'
  const lines = `${unknown}\nIf one costs nothing, write cost = "none" where it is declared.\n`
  expect([set.status, set.out]).toEqual([0, `The agent script, per day: $0.00 of $5.00 are used.\n${lines}`])
  expect((await town.gc(['budget', 'list'])).out).toEndWith(lines)
  const strict = await town.gc(['budget', 'strict'])
  const first = 'Budgets are strict: an agent whose program does not report what it uses gets no turn.\n'
  expect([strict.status, strict.out]).toEqual([0, `${first}${lines}`])
  expect(await town.json(['budget', 'strict'])).toMatchObject({ strict: true, uncounted: [{ agent: 'script' }] })
  const remove = ['budget', 'remove', 'usd', '--agent', 'script']
  expect((await town.gc(remove)).out).toBe('The budget was removed.\n')
  expect((await town.gc(['budget', 'list'])).out).not.toContain('script')
  expect(await town.gc(remove)).toEqual({
    ...{ status: 1, out: '' },
    err: 'gc: there is no such budget; `gc budget list` lists valid names\n',
  })
})
