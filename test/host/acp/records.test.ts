import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually, exitOf, gone, type HostWorld, hostWorld } from '../world.ts'
import { agentSpec, Listener } from './agent-host.ts'

const COUNT = 12_000

/** The contents of a file; empty when it has just been deleted. */
function textOf(path: string): string[] {
  try {
    return [readFileSync(path, 'utf8')]
  } catch {
    return []
  }
}

/** The records stored on disk, one string for each run. */
function storedRecords({ home }: HostWorld): string[] {
  const host = join(home, 'host')
  return readdirSync(host).flatMap((build) => {
    const folder = join(host, build, 'unheard')
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.jsonl')) : []
    return names.flatMap((name) => textOf(join(folder, name)))
  })
}

describe('the records of an agent', () => {
  test('are buffered up to four megabytes ahead of the acknowledgement, and none is dropped', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    const log = world.folder.at('log')
    await host.start(agentSpec(world, 'a', { LOG: log }))
    await host.prompt('a', 't', `flood ${COUNT}`)
    const written = () => Number(/(\d+)\n$/.exec(readFileSync(log, 'utf8'))?.[1] ?? -1)
    let before = -2
    await eventually(async () => {
      const now = written()
      const stands = now === before && now > 0
      before = now
      await Bun.sleep(200)
      return stands
    })
    expect(before).toBeLessThan(8_000)
    const listener = new Listener(host)
    await listener.until(({ type }) => type === 'done', 20_000)
    const plans = listener.records.flatMap((record) =>
      record.type === 'update' ? [Object(record.update).entries[0]] : [],
    )
    expect(plans.map(({ content }) => Number.parseInt(content, 10))).toEqual(
      Array.from({ length: COUNT }, (_, at) => at),
    )
    expect(listener.records.map(({ seq }) => seq)).toEqual(listener.records.map((_, at) => at + 1))
  }, 30_000)

  test('are sent to the next supervisor from where the last one acknowledged them', async () => {
    await using world = hostWorld()
    const first = await world.connect()
    const before = new Listener(first)
    await first.start(agentSpec(world, 'a'))
    await first.prompt('a', 't', 'ask it')
    const [request = ''] = await before.permissionRequests()
    first.close()
    const second = await world.connect()
    const after = new Listener(second)
    await second.answer('a', request, 'yes')
    await after.done('t')
    const seqs = [...before.records, ...after.records].map(({ seq }) => seq)
    expect([...new Set(seqs)]).toEqual(Array.from({ length: Math.max(...seqs) }, (_, at) => at + 1))
    expect(after.words).toContain('it: yes')
  })

  test('are sent again when they were not acknowledged', async () => {
    await using world = hostWorld()
    const first = await world.connect()
    const rejected: number[] = []
    first.onRecords(({ records }) => {
      rejected.push(...records.map(({ seq }) => seq))
      return false
    })
    await first.start(agentSpec(world, 'a'))
    await first.prompt('a', 't', 'say something')
    await eventually(async () => rejected.length > 2)
    first.close()
    const listener = new Listener(await world.connect())
    await listener.done('t')
    expect(listener.kinds).toEqual(['ready', 'turn', 'agent_message_chunk', 'done'])
  })

  test('outlive the agent and its host until they are acknowledged', async () => {
    await using world = hostWorld()
    const host = await world.connect({ env: { GC_HOST_IDLE_TIMEOUT: '100ms' } })
    const [{ pid = 0 } = {}] = await host.status()
    const exit = exitOf(host, 'a')
    await host.start(agentSpec(world, 'a'))
    await host.prompt('a', 't', 'die').catch(() => {})
    await exit
    host.close()
    await gone(pid)
    const listener = new Listener(await world.connect())
    await listener.done('t')
    expect(listener.kinds).toEqual(['ready', 'turn', 'done'])
  })

  test('survive a killed host, without those that were acknowledged before', async () => {
    await using world = hostWorld()
    const first = await world.connect()
    const before = new Listener(first)
    await first.start(agentSpec(world, 'a'))
    await first.prompt('a', 'kept', 'say kept')
    await before.done('kept')
    before.stop()
    const [{ pid = 0 } = {}] = await first.status()
    await first.prompt('a', 'lost', 'say nobody heard this')
    await eventually(async () => storedRecords(world).some((text) => /"done".*"lost"/.test(text)))
    await first.prompt('a', 'open', 'ask it')
    await eventually(async () => storedRecords(world).some((text) => text.includes('"asked"')))
    process.kill(pid, 'SIGKILL')
    await gone(pid)
    first.close()
    const after = new Listener(await world.connect())
    await after.permissionRequests()
    expect(after.kinds).toEqual(['turn', 'agent_message_chunk', 'done', 'turn', 'tool_call', 'asked'])
    expect(after.words).toBe('nobody heard this ')
    const seqs = [...before.records, ...after.records].map(({ seq }) => seq)
    expect(seqs).toEqual(seqs.map((_, at) => at + 1))
    await eventually(async () => storedRecords(world).length === 0)
  })

  test('stay on disk only until they are acknowledged, and are deleted when the run is over', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    const listener = new Listener(host)
    await host.start(agentSpec(world, 'a'))
    for (const turn of ['one', 'two']) {
      await host.prompt('a', turn, `flood 6000`)
      await listener.done(turn)
    }
    await eventually(async () => storedRecords(world).every((text) => text.split('\n').filter(Boolean).length === 1))
    expect(storedRecords(world)).toHaveLength(1)
    await host.end('a', { grace: 200 })
    await eventually(async () => storedRecords(world).length === 0)
  }, 30_000)

  test('never contain a secret of gc, however the output is split into chunks', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    const listener = new Listener(host)
    await host.start(agentSpec(world, 'a'))
    const secret = `gcs_${'0123456789abcdef'.repeat(4)}`
    await host.prompt('a', 't', `say my token is ${secret} sir`)
    await listener.done('t')
    expect(listener.words).toBe('my token is gcs_*** sir ')
    expect(JSON.stringify(listener.records)).not.toContain('0123456789abcdef')
  })

  test('report invalid messages as stderr output and continue', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    const listener = new Listener(host)
    await host.start(agentSpec(world, 'a'))
    await host.prompt('a', 't', 'garbage')
    await listener.done('t')
    const exit = exitOf(host, 'a')
    await host.end('a', { grace: 200 })
    expect((await exit).lastOutput).toEqual(['this is not a message'])
  })
})
