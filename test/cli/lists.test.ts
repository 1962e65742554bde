import { expect, test } from 'bun:test'
import { shareTown, type Town } from './town.ts'

let town: Town
shareTown(async (opened) => {
  town = opened
  await town.gc(['agent', 'add', 'shop/crew', '--command', 'sleep 600', '--max', '5'])
  await town.gc(['agent', 'suspend', 'shop/crew'])
  await town.gc(['agent', 'add', 'shop/clerks', '--command', 'sleep 600', '--max', '3'])
})

const lines = async (...args: string[]) => (await town.gc(args)).out.split('\n')

test('the instances of a pool that do nothing are one line of `gc agent list` and `gc status`', async () => {
  for (const list of [await lines('agent', 'list'), await lines('status')]) {
    expect(list.filter((line) => line.includes('clerks'))).toEqual([
      expect.stringMatching(/^shop\/clerks \(3 instances\) +stopped/),
    ])
    expect(list.filter((line) => line.includes('crew'))).toEqual([
      expect.stringMatching(/^shop\/crew \(5 instances\) +suspended/),
    ])
  }
  expect((await town.json<{ items: unknown[] }>(['agent', 'list'])).items).toHaveLength(8)
})

test('the help of attach shows the detach key as people type it', async () => {
  expect((await town.gc(['session', 'attach', '--help'])).out).toContain('(default: ctrl-])')
})

test('the dashboard does not open a city that does not exist', async () => {
  const { err, status } = await town.gc(['--city', 'nowhere', 'tui'], { width: 80, interactive: true })
  expect([status, err]).toEqual([1, expect.stringContaining('nowhere')])
})

test('`gc session list` says of how many it shows some, and counts those of a rig in all of them', async () => {
  await town.gc(['agent', 'add', 'keeper', '--command', 'sleep 600', '--max', '9'])
  await town.gc(['agent', 'add', 'shop/guard', '--command', 'sleep 600', '--max', '9'])
  for (const agent of ['shop/guard', 'keeper', 'keeper']) await town.json(['session', 'new', agent])
  expect(await lines('session', 'list', '--limit', '2')).toEqual([
    ...[expect.stringContaining('SESSION'), expect.stringContaining('keeper'), expect.stringContaining('keeper')],
    ...['2 of 3; --limit shows more.', ''],
  ])
  const ofRig = await lines('session', 'list', '--rig', 'shop', '--limit', '1')
  expect(ofRig).toEqual([expect.stringContaining('SESSION'), expect.stringContaining('shop/guard'), ''])
})
