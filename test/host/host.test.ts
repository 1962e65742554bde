import { describe, expect, test } from 'bun:test'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../src/core/clock.ts'
import { createSecret } from '../../src/core/ids.ts'
import { connectToHosts } from '../../src/host/client/host-client.ts'
import { DrawScheduler } from '../../src/host/server/draw-scheduler.ts'
import { TerminalEmulator } from '../../src/host/server/terminal-emulator.ts'
import { eventually, exitOf, gone, hostWorld, launch, output, sh, spec } from './world.ts'

describe('a session', () => {
  test('runs on a terminal with input, a size and resizes', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    await host.start(sh(world, 'a', 'test -t 0 && read line; echo "got $line"; stty size; read _; stty size'))
    await host.write('a', 'hello\r')
    await output(host, 'a', (text) => text.includes('got hello') && text.includes('24 80'))
    await host.resize('a', 100, 30)
    await host.write('a', '\r')
    await output(host, 'a', (text) => text.includes('30 100'))
    expect(await exitOf(host, 'a')).toMatchObject({ key: 'a', reason: 'exited', exitCode: 0, daemons: [] })
  })

  test('receives exactly the environment, arguments and working directory it was started with', async () => {
    await using world = hostWorld()
    const host = await world.connect({ env: { GC_SECRET_OF_OTHERS: 'x' } })
    mkdirSync(world.folder.at('work'))
    const env = { PATH: '/usr/bin:/bin', ONE: '1', EMPTY: '' }
    await host.start(spec(world, 'a', ['env'], { env }))
    const { text } = await output(host, 'a', (seen) => seen.includes('ONE=1'))
    await exitOf(host, 'a')
    expect(text.trim().split('\r\n').sort()).toEqual(['EMPTY=', 'ONE=1', 'PATH=/usr/bin:/bin'])
    await host.start(sh(world, 'b', 'echo "$PWD|$1"', { cwd: world.folder.at('work') }))
    await output(host, 'b', (seen) => seen.includes(`${world.folder.at('work')}|`))
  })

  test('receives signals in its foreground process group', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    await host.start(sh(world, 'a', 'trap "echo caught; exit 7" INT; echo ready; while :; do read x; done'))
    await output(host, 'a', (text) => text.includes('ready'))
    await host.signal('a', 'INT')
    expect(await exitOf(host, 'a')).toMatchObject({ exitCode: 7, lastOutput: ['ready', 'caught'] })
  })

  test('is rejected with a message when its command, folder or size is invalid, and leaves nothing behind', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    const outcome = (start: Promise<unknown>) =>
      start.then(
        () => 'started',
        (error) => `${error.code}: ${error.message}`,
      )
    expect(await outcome(host.start(spec(world, 'a', ['no-such-program'])))).toBe(
      'validation-failed: there is no program no-such-program on the PATH; install it or name its path',
    )
    expect(await outcome(host.start(spec(world, 'a', ['/etc/passwd'])))).toContain('is not a program that can be run')
    expect(await outcome(host.start(sh(world, 'a', 'true', { cwd: '/no/such/folder' })))).toBe(
      'validation-failed: the folder /no/such/folder does not exist',
    )
    expect(await outcome(host.start(sh(world, 'a', 'true', { cols: 0 })))).toContain('1 to 2000 columns')
    expect(await outcome(host.start(sh(world, 'a', 'sleep 60')))).toBe('started')
    expect(await outcome(host.start(sh(world, 'a', 'sleep 60')))).toBe('session-conflict: a runs already')
    expect((await host.list()).map(({ key }) => key)).toEqual(['a'])
  })

  test('reports its exit once, and is kept until the exit is acknowledged', async () => {
    await using world = hostWorld()
    const first = await world.connect()
    await first.start(sh(world, 'a', 'echo last words; exit 3'))
    await output(first, 'a', (text) => text.includes('last words'))
    first.close()
    const second = await world.connect()
    let error = 0
    second.onExit(() => {
      error++
      throw new Error('the disk is full')
    })
    await output(second, 'a', () => true).catch(() => {})
    second.close()
    const third = await world.connect()
    await eventually(async () => (await third.list())[0]?.state === 'exited')
    expect((await third.list()).map(({ key, state, exitCode }) => ({ key, state, exitCode }))).toEqual([
      { key: 'a', state: 'exited', exitCode: 3 },
    ])
    expect((await third.screen('a', 5)).lines).toEqual(['last words'])
    expect(await exitOf(third, 'a')).toMatchObject({ exitCode: 3, lastOutput: ['last words'] })
    await eventually(async () => (await third.list()).length === 0)
    expect(error).toBeLessThanOrEqual(1)
  })
})

describe('the screen', () => {
  test('answers the terminal queries of a program and hides them from viewers', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    const queries = [
      '[c',
      '[6n',
      '[?u',
      '[>q',
      '[18t',
      '[?2026$p',
      ']11;?\x1b\\',
      ']10;?\x07',
      ']4;1;?\x07',
      'P+q544e\x1b\\',
    ]
    const program = `
      process.stdin.setRawMode(true)
      const replies = []
      for (const query of ${JSON.stringify(queries)}) {
        process.stdout.write('\\x1b' + query)
        const reply = await new Promise((resolve) => process.stdin.once('data', resolve))
        replies.push(String(reply).replaceAll('\\x1b', '^'))
      }
      console.log(replies.join(' ') + ' done')
      setInterval(() => {}, 1e6)`
    await host.start(spec(world, 'a', [process.execPath, '-e', program]))
    const { text } = await output(host, 'a', (seen) => seen.includes('done'))
    expect(text.trim().split(' ')).toEqual([
      '^[?1;2c',
      '^[1;1R',
      '^[?0u',
      '^P>|gc^\\',
      '^[8;24;80t',
      '^[?2026;2$y',
      '^]11;rgb:0000/0000/0000^\\',
      '^]10;rgb:d0d0/d0d0/d0d0^\\',
      '^]4;1;rgb:cdcd/0000/0000^\\',
      '^P0+r^\\',
      'done',
    ])
  })

  test('is read as text, with cursor, title and scrollback', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    await host.start(
      sh(world, 'a', 'seq 1 50; printf "\\033]2;a title\\007\\033[?2004hprompt> "; exec sleep 60', { rows: 10 }),
    )
    await output(host, 'a', (text) => text.includes('prompt>'))
    const screen = await host.screen('a')
    expect(screen.lines).toEqual(['42', '43', '44', '45', '46', '47', '48', '49', '50', 'prompt> '])
    expect(screen).toMatchObject({ cursor: { x: 8, y: 9 }, title: 'a title', alternate: false, bracketedPaste: true })
    expect((await host.screen('a', 3)).lines).toEqual(['49', '50', 'prompt> '])
    expect((await host.screen('a', 1000)).lines).toHaveLength(51)
    expect((await host.list())[0]).toMatchObject({ title: 'a title', bytes: screen.offset })
  })

  test('is drawn for a new viewer, whose output continues from there without a gap', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    await host.start(sh(world, 'a', 'printf "\\033[31mred\\033[0m\\n"; read _; echo after; exec sleep 60'))
    await output(host, 'a', (text) => text.includes('red'))
    const { offset, ansi, cols, rows } = await host.snapshot('a')
    expect({ ansi, cols, rows }).toMatchObject({ cols: 80, rows: 24 })
    expect(ansi).toContain('\x1b[31mred')
    await host.write('a', '\r')
    const { text } = await output(host, 'a', (seen) => seen.includes('after'), offset)
    expect(text).not.toContain('red')
  })

  test('never shows a secret of gc, wherever the output is split', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    const [one, two] = [createSecret('gcs_'), createSecret('moltbook_')]
    const halves = `printf '${one.slice(0, 30)}'; sleep 0.1; printf '${one.slice(30)}\\n${two}\\n'`
    const coloured = `printf '${one.slice(0, 8)}\\033[31m${one.slice(8)}\\033[0m\\n'`
    const drawn = `printf '${one.slice(0, 8)}\\033[9G${one.slice(8)}\\n'`
    await host.start(sh(world, 'a', `${halves}; ${coloured}; ${drawn}; echo end; exec sleep 60`))
    const { text } = await output(host, 'a', (seen) => seen.includes('end'))
    expect(text).toStartWith('gcs_***\r\nmoltbook_***\r\ngcs_***\u001b[31m\u001b[0m\r\n')
    const lines = ['gcs_***', 'moltbook_***', 'gcs_***', 'gcs_***', 'end']
    expect((await host.screen('a')).lines.slice(0, 5)).toEqual(lines)
    expect((await host.screen('a', undefined, true)).styled?.slice(0, 5)).toEqual(lines)
    expect(
      Bun.stripANSI((await host.snapshot('a')).ansi)
        .split(/\r?\n/)
        .slice(0, 5),
    ).toEqual(lines)
  })
})

describe('output', () => {
  test('is addressed by absolute offset and continues where a reader left off, also after a lost connection', async () => {
    await using world = hostWorld()
    const first = await world.connect()
    await first.start(sh(world, 'a', 'echo one; read _; echo two; exec sleep 60'))
    const before = await output(first, 'a', (text) => text.includes('one'))
    first.close()
    const second = await world.connect()
    await second.write('a', '\r')
    const after = await output(second, 'a', (text) => text.includes('two'), before.end)
    expect(before.text + after.text).toBe('one\r\n\r\ntwo\r\n')
    expect(await output(second, 'a', (text) => text.includes('two'))).toMatchObject({ text: before.text + after.text })
  })

  test('notifies subscribers with the key of the session that wrote it', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    const received = Promise.withResolvers<string>()
    host.onOutput('a', (key, { bytes }) => received.resolve(`${key} ${bytes > 0}`))
    await host.start(sh(world, 'b', 'echo other; exec sleep 60'))
    await host.start(sh(world, 'a', 'echo mine; exec sleep 60'))
    expect(await received.promise).toBe('a true')
  })

  test('of a flooding program uses bounded memory and does not starve other sessions', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    await host.start(
      sh(world, 'flood', 'read _; yes a line of a flood | head -c 100000000; echo; echo end; exec sleep 60'),
    )
    await host.start(sh(world, 'calm', 'while read x; do echo "calm $x."; done'))
    const [before] = await host.status()
    let [last, end] = ['', 0]
    const flooded = (async () => {
      for await (const piece of host.follow('flood', 'end', AbortSignal.timeout(50_000))) {
        end = 'gap' in piece ? piece.gap.to : piece.offset + piece.bytes.length
        if ('bytes' in piece) last = Buffer.from(piece.bytes.slice(-100)).toString()
        if (last.includes('end')) return
      }
    })()
    await host.write('flood', '\r')
    const meanwhile: number[] = []
    for (let times = 0; times < 20; times++) {
      const before = end
      await host.write('calm', `${times}\r`)
      await output(host, 'calm', (text) => text.includes(`calm ${times}.`))
      meanwhile.push(end - before)
    }
    expect(meanwhile.toSorted((a, b) => a - b)[10]).toBeLessThan(10_000_000)
    await flooded
    expect(end).toBeGreaterThan(100_000_000)
    expect((await host.screen('flood', 1)).lines).toEqual(['end'])
    const [after] = await host.status()
    expect((after?.memory ?? 0) - (before?.memory ?? 0)).toBeLessThan(100 << 20)
  }, 60_000)
})

describe('a screen with its colours', () => {
  test('has no sequences but those of colours and styles, also of what is scrolled off it, and bounds them', async () => {
    const emulator = new TerminalEmulator(40, 3, { answer() {}, title() {} })
    const rainbow = Array.from({ length: 40 }, (_, at) => `\x1b[1;2;3;4;7;9;38;2;${at};200;200;48;2;${at};100;100m▒`)
    const written = [
      'gone\x1b]0;title\x07\x1b]8;;http://x\x07\x1b[?1049h\x1b[?1049l\x1b[5 q',
      '\x1b[1;31mred\x1b[0m and \x1b[38;5;200mpink\x1b[48;2;1;2;3m on dark\x1b[0m',
      '\x1b[8mhidden\x1b[0m 宽\x1b[7m \x1b[0m',
      rainbow.join(''),
    ]
    await new Promise<void>((drawn) => emulator.write(Buffer.from(written.join('\x1b[0m\r\n')), drawn))
    const { lines, styled = [] } = emulator.screen(4, true)
    expect(styled.slice(0, 3)).toEqual([
      'gone',
      '\x1b[0;1;31mred\x1b[0m and \x1b[0;38;5;200mpink\x1b[0;38;5;200;48;2;1;2;3m on dark\x1b[0m',
      'hidden 宽\x1b[0;7m \x1b[0m',
    ])
    expect(Bun.stripANSI(styled[3] ?? '')).toBe('▒'.repeat(40))
    expect(lines.map((line) => line.trimEnd())).toEqual(styled.map((line) => Bun.stripANSI(line).trimEnd()))
    const wide = new TerminalEmulator(500, 3, { answer() {}, title() {} })
    await new Promise<void>((drawn) => wide.write(Buffer.from(rainbow.join('').repeat(12)), drawn))
    expect(wide.screen(1, true).styled).toEqual(['▒'.repeat(480)])
    expect(wide.screen(1)).not.toHaveProperty('styled')
  })
})

describe('the input queue of a screen', () => {
  test('drops the oldest output beyond four megabytes, counts it, and requests a redraw when it has caught up', async () => {
    const emulator = new TerminalEmulator(80, 24, { answer() {}, title() {} })
    const starved = Promise.withResolvers<void>()
    const feed = new DrawScheduler().feed(emulator, starved.resolve)
    const bytes = Buffer.from('a line of a flood\r\n'.repeat(500))
    let offset = 0
    for (let times = 0; times < 1000; times++) {
      offset += bytes.length
      feed.push(bytes, offset)
    }
    feed.push(Buffer.from('the end'), offset + 7)
    await starved.promise
    expect(feed.offset).toBe(offset + 7)
    expect(feed.unseen).toBeGreaterThan(offset - (5 << 20))
    expect(emulator.screen(1).lines).toEqual(['the end'])
  })

  test('alternates between screens, so that a short input does not wait for a long one', async () => {
    const feeder = new DrawScheduler()
    const order: string[] = []
    const fed = (name: string) =>
      feeder.feed(new TerminalEmulator(80, 24, { answer() {}, title: () => order.push(name) }), () => {})
    const [long, short] = [fed('long'), fed('short')]
    for (let times = 1; times <= 200; times++) long.push(Buffer.from('x'.repeat(10_000)), times * 10_000)
    long.push(Buffer.from('\x1b]2;done\x07'), 2_000_001)
    short.push(Buffer.from('\x1b]2;done\x07'), 1)
    await Promise.all([long.settled(2_000_001), short.settled(1)])
    expect(order).toEqual(['short', 'long'])
  })
})

describe('a host', () => {
  test('makes its folder accessible to its owner only', async () => {
    await using world = hostWorld()
    mkdirSync(join(world.home, 'host'), { recursive: true, mode: 0o755 })
    await world.launch()
    for (const path of ['host', 'host/dev']) expect(statSync(join(world.home, path)).mode & 0o077).toBe(0)
    expect(statSync(join(world.home, 'host/dev/socket')).mode & 0o077).toBe(0)
  })

  test('is the only one of its build: a second one finds the lock taken', async () => {
    await using world = hostWorld()
    await world.launch()
    const host = await world.connect()
    const second = Bun.spawn(launch, {
      env: { PATH: process.env.PATH ?? '', GC_HOME: world.home, GC_HOST_BUILD: 'dev' },
      stdout: 'pipe',
    })
    expect(await second.stdout.text()).toBe('busy\n')
    expect(await second.exited).toBe(1)
    expect(await host.status()).toHaveLength(1)
  })

  test('starts once, however many supervisors start it at the same time', async () => {
    await using world = hostWorld()
    const hosts = await Promise.all([world.connect(), world.connect(), world.connect()])
    await Promise.all(hosts.map((host, n) => host.start(sh(world, `s${n}`, 'exec sleep 60'))))
    const pids = await Promise.all(hosts.map(async (host) => (await host.status()).map(({ pid }) => pid)))
    expect(new Set(pids.flat()).size).toBe(1)
  })

  test('works in a home whose path is too long for a socket', async () => {
    await using world = hostWorld({ home: join('x'.repeat(80), 'y'.repeat(80)) })
    const host = await world.connect()
    await host.start(sh(world, 'a', 'echo long; exec sleep 60'))
    await output(host, 'a', (text) => text.includes('long'))
    host.close()
    expect((await (await world.connect()).list()).map(({ key }) => key)).toEqual(['a'])
  })

  test('reports why it cannot start', async () => {
    await using world = hostWorld()
    mkdirSync(world.home)
    writeFileSync(join(world.home, 'host'), 'not a folder')
    await expect(world.connect()).rejects.toThrow()
    const options = { home: world.folder.at('other'), clock: systemClock, deadlines: world.deadlines }
    const host = await connectToHosts({ ...options, launch: ['/bin/echo', 'this is not a host'] })
    await expect(host.start(sh(world, 'a', 'true'))).rejects.toThrow(
      'the session host did not come up: this is not a host',
    )
    host.close()
  })

  test('of an earlier build keeps its sessions, accepts no new ones and exits with the last', async () => {
    await using world = hostWorld()
    const old = await world.connect({ build: 'one' })
    const { pid } = await old.start(sh(world, 'a', 'read _; echo bye'))
    const oldPid = (await old.status())[0]?.pid ?? 0
    old.close()
    const host = await world.connect({ build: 'two' })
    expect((await host.status()).map(({ build, sessions, retired }) => ({ build, sessions, retired }))).toEqual([
      { build: 'one', sessions: 1, retired: true },
    ])
    await host.start(sh(world, 'b', 'exec sleep 60'))
    await expect(host.start(sh(world, 'a', 'true'))).rejects.toThrow('a runs already')
    expect((await host.list()).map(({ key, state }) => `${key} ${state}`)).toEqual(['b running', 'a running'])
    await host.write('a', '\r')
    expect(await exitOf(host, 'a')).toMatchObject({ pid, exitCode: 0 })
    await gone(oldPid)
    expect((await host.list()).map(({ key }) => key)).toEqual(['b'])
  })

  test('exits when it has no sessions and no supervisor', async () => {
    await using world = hostWorld()
    const idleTimeout = { GC_HOST_IDLE_TIMEOUT: '500ms' }
    await world.launch(idleTimeout)
    const host = await world.connect()
    const [status] = await host.status()
    host.close()
    await gone(status?.pid ?? 0)
  })
})
