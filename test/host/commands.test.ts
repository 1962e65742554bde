import { expect, test } from 'bun:test'
import { until } from '../support/until.ts'
import { hostWorld } from './world.ts'

const command = (script: string, keep?: number) => ({
  ...{ key: 'mill:order/1', kind: 'command' as const, argv: ['/bin/sh', '-c', script], cols: 80, rows: 24 },
  ...{ cwd: '/', env: { PATH: '/usr/bin:/bin' }, ...(keep !== undefined && { keep }) },
})

test('the exit of a command has the last bytes of each of its streams where that was asked for', async () => {
  await using world = hostWorld()
  const host = await world.connect()
  const exits: unknown[] = []
  host.onExit((exit) => exits.push(exit.streams))
  await host.start(command('printf 0123456789; printf abc >&2; printf gcs_0123456789abcdefghij', 20))
  await until(() => exits.length === 1)
  await host.start(command('yes | head -c 100000; echo no >&2; echo end', 20))
  await until(() => exits.length === 2)
  await host.start(command('echo both'))
  await until(() => exits.length === 3)
  expect(exits).toEqual([
    { stdout: '0123456789gcs_***', stderr: 'abc', truncated: false },
    { stdout: `${'y\n'.repeat(8)}end\n`, stderr: 'no\n', truncated: true },
    undefined,
  ])
})

test('the output of a running command can be followed to its end', async () => {
  await using world = hostWorld()
  const host = await world.connect()
  host.onExit(() => true)
  const gate = `${world.home}/go`
  await host.start(command(`echo one; while [ ! -e ${gate} ]; do sleep 0.02; done; echo two >&2`, 1000))
  let text = ''
  for await (const chunk of host.follow('mill:order/1', 0, new AbortController().signal)) {
    if ('bytes' in chunk) text += Buffer.from(chunk.bytes).toString()
    if (text === 'one\n') await Bun.write(gate, '')
  }
  expect(text).toBe('one\ntwo\n')
})
