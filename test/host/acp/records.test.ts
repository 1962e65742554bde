import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually, exitOf, gone, type HostWorld, hostWorld } from '../world.ts'
import { agentSpec, Listener } from './agent-host.ts'

const COUNT = 12_000

/** The text of a file; nothing when it has just been taken away. */
function textOf(path: string): string[] {
  try {
    return [readFileSync(path, 'utf8')]
  } catch {
    return []
  }
}

/** What is on disk of what agents said, one text a run. */
function shelves({ home }: HostWorld): string[] {
  const host = join(home, 'host')
  return readdirSync(host).flatMap((build) => {
    const folder = join(host, build, 'unheard')
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.jsonl')) : []
    return names.flatMap((name) => textOf(join(folder, name)))
  })
}

describe('what an agent says', () => {
  test('is read no further than four megabytes ahead of who keeps it, and nothing is dropped', async () => {
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
    const heard = new Listener(host)
    await heard.until(({ type }) => type === 'done', 20_000)
    const plans = heard.records.flatMap((record) =>
      record.type === 'update' ? [Object(record.update).entries[0]] : [],
    )
    expect(plans.map(({ content }) => Number.parseInt(content, 10))).toEqual(
      Array.from({ length: COUNT }, (_, at) => at),
    )
    expect(heard.records.map(({ seq }) => seq)).toEqual(heard.records.map((_, at) => at + 1))
  }, 30_000)

  test('is told to the next supervisor from where the last one had kept it', async () => {
    await using world = hostWorld()
    const first = await world.connect()
    const before = new Listener(first)
    await first.start(agentSpec(world, 'a'))
    await first.prompt('a', 't', 'ask it')
    const [request = ''] = await before.asked()
    first.close()
    const second = await world.connect()
    const after = new Listener(second)
    await second.answer('a', request, 'yes')
    await after.done('t')
    const seqs = [...before.records, ...after.records].map(({ seq }) => seq)
    expect([...new Set(seqs)]).toEqual(Array.from({ length: Math.max(...seqs) }, (_, at) => at + 1))
    expect(after.words).toContain('it: yes')
  })

  test('is told again when it was not kept', async () => {
    await using world = hostWorld()
    const first = await world.connect()
    const refused: number[] = []
    first.onRecords(({ records }) => {
      refused.push(...records.map(({ seq }) => seq))
      return false
    })
    await first.start(agentSpec(world, 'a'))
    await first.prompt('a', 't', 'say something')
    await eventually(async () => refused.length > 2)
    first.close()
    const heard = new Listener(await world.connect())
    await heard.done('t')
    expect(heard.kinds).toEqual(['ready', 'turn', 'agent_message_chunk', 'done'])
  })

  test('outlives its agent and its host until somebody keeps it', async () => {
    await using world = hostWorld()
    const host = await world.connect({ env: { GC_HOST_IDLE_TIMEOUT: '100ms' } })
    const [{ pid = 0 } = {}] = await host.status()
    const exit = exitOf(host, 'a')
    await host.start(agentSpec(world, 'a'))
    await host.prompt('a', 't', 'die').catch(() => {})
    await exit
    host.close()
    await gone(pid)
    const heard = new Listener(await world.connect())
    await heard.done('t')
    expect(heard.kinds).toEqual(['ready', 'turn', 'done'])
  })

  test('outlives a host that is killed, up to where it was and not what was kept before', async () => {
    await using world = hostWorld()
    const first = await world.connect()
    const before = new Listener(first)
    await first.start(agentSpec(world, 'a'))
    await first.prompt('a', 'kept', 'say kept')
    await before.done('kept')
    before.stop()
    const [{ pid = 0 } = {}] = await first.status()
    await first.prompt('a', 'lost', 'say nobody heard this')
    await eventually(async () => shelves(world).some((text) => /"done".*"lost"/.test(text)))
    await first.prompt('a', 'open', 'ask it')
    await eventually(async () => shelves(world).some((text) => text.includes('"asked"')))
    process.kill(pid, 'SIGKILL')
    await gone(pid)
    first.close()
    const after = new Listener(await world.connect())
    await after.asked()
    expect(after.kinds).toEqual(['turn', 'agent_message_chunk', 'done', 'turn', 'tool_call', 'asked'])
    expect(after.words).toBe('nobody heard this ')
    const seqs = [...before.records, ...after.records].map(({ seq }) => seq)
    expect(seqs).toEqual(seqs.map((_, at) => at + 1))
    await eventually(async () => shelves(world).length === 0)
  })

  test('is no more on disk than what nobody has kept, and nothing once its run is over', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    const heard = new Listener(host)
    await host.start(agentSpec(world, 'a'))
    for (const turn of ['one', 'two']) {
      await host.prompt('a', turn, `flood 6000`)
      await heard.done(turn)
    }
    await eventually(async () => shelves(world).every((text) => text.split('\n').filter(Boolean).length === 1))
    expect(shelves(world)).toHaveLength(1)
    await host.end('a', { grace: 200 })
    await eventually(async () => shelves(world).length === 0)
  }, 30_000)

  test('has no secret of ours in it, however it is cut', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    const heard = new Listener(host)
    await host.start(agentSpec(world, 'a'))
    const secret = `gcs_${'0123456789abcdef'.repeat(4)}`
    await host.prompt('a', 't', `say my token is ${secret} sir`)
    await heard.done('t')
    expect(heard.words).toBe('my token is gcs_*** sir ')
    expect(JSON.stringify(heard.records)).not.toContain('0123456789abcdef')
  })

  test('that is no message is a complaint, and the rest goes on', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    const heard = new Listener(host)
    await host.start(agentSpec(world, 'a'))
    await host.prompt('a', 't', 'garbage')
    await heard.done('t')
    const exit = exitOf(host, 'a')
    await host.end('a', { grace: 200 })
    expect((await exit).lastOutput).toEqual(['this is no message'])
  })
})
