import { describe, expect, test } from 'bun:test'
import { bootId } from '../../../src/core/boot-id.ts'
import { parsePs, parseStat } from '../../../src/host/process/parse.ts'
import type { Process } from '../../../src/host/process/process-info.ts'
import { ProcessTable, readProcess } from '../../../src/host/process/process-table.ts'
import { ancestorsOf, familyOf, identity, type Origin } from '../../../src/host/process/tree.ts'

const one = (pid: number, parent: number, session: number, more: Partial<Process> = {}): Process => ({
  pid,
  parent,
  group: session,
  session,
  terminal: '',
  foreground: 0,
  started: `b.${pid}`,
  zombie: false,
  command: `p${pid}`,
  ...more,
})

const origin: Origin = { pid: 100, started: 'b.100', marks: [] }
const pids = (processes: Process[]): number[] => processes.map(({ pid }) => pid).sort((a, b) => a - b)

describe('the process family of a session', () => {
  test('contains its leader, its terminal session, its process group and their descendants', () => {
    const { members, daemons } = familyOf(
      [
        one(100, 5, 100),
        one(101, 100, 100),
        one(102, 1, 100, { group: 102 }),
        one(103, 101, 103),
        one(104, 103, 104),
        one(200, 5, 200),
      ],
      origin,
    )
    expect(pids(members)).toEqual([100, 101, 102, 103, 104])
    expect(daemons).toEqual([])
  })

  test('still contains its terminal session after the leader has exited', () => {
    expect(pids(familyOf([one(101, 1, 100), one(200, 1, 200)], origin).members)).toEqual([101])
  })

  test('is empty when the pid of its leader has been reused', () => {
    const later = one(100, 5, 100, { started: 'b.999' })
    expect(familyOf([later, one(101, 100, 100)], origin).members).toEqual([])
  })

  test('keeps known members that left the session, with their children', () => {
    const gone = one(103, 1, 103)
    expect(familyOf([gone], origin).members).toEqual([])
    expect(pids(familyOf([gone, one(104, 103, 104)], origin, new Set([identity(gone)])).members)).toEqual([103, 104])
  })

  test('lists marked processes without a parent in the family as daemons', () => {
    const marked = new Set([100, 101, 300])
    const { members, daemons } = familyOf(
      [one(100, 5, 100), one(101, 100, 100), one(300, 1, 300), one(301, 300, 300)],
      origin,
      new Set(),
      marked,
    )
    expect(pids(members)).toEqual([100, 101])
    expect(pids(daemons)).toEqual([300, 301])
  })

  test('excludes zombies, init, and the processes that end it', () => {
    const processes = [one(1, 0, 1), one(100, 5, 100, { zombie: true }), one(101, 100, 100), one(102, 101, 102)]
    expect(pids(familyOf(processes, origin, new Set(), new Set([1]), ancestorsOf(processes, 102)).members)).toEqual([])
  })

  test('contains only marked processes when its leader was never recorded', () => {
    const processes = [one(2, 0, 0), one(100, 5, 100), one(300, 1, 0)]
    const { members, daemons } = familyOf(processes, { pid: 0, started: '', marks: [] }, new Set(), new Set([300]))
    expect(members).toEqual([])
    expect(pids(daemons)).toEqual([300])
  })

  test('uses the terminal where the system reports no session id', () => {
    const on = (pid: number, parent: number, terminal: string) => one(pid, parent, 0, { group: pid, terminal })
    const { members } = familyOf([on(100, 5, 'ttys001'), on(101, 1, 'ttys001'), on(102, 1, 'ttys002')], origin)
    expect(pids(members)).toEqual([100, 101])
  })
})

describe('a process listing', () => {
  test('parses a process name that contains spaces and parentheses', () => {
    const text = '42 (a) b (c)) S 7 40 39 34816 41 4194560 1 0 0 0 0 0 0 0 20 0 1 0 123456 1 1'
    expect(parseStat(text, 'boot')).toEqual({
      pid: 42,
      parent: 7,
      group: 40,
      session: 39,
      terminal: '34816',
      foreground: 41,
      started: 'boot.123456',
      zombie: false,
      command: 'a) b (c)',
    })
    expect(parseStat('nonsense', 'boot')).toBeUndefined()
  })

  test('parses the output of ps', () => {
    const text = [
      '    1     0     1    0 ??       Ss   Mon Jan  5 09:00:00 2026     /sbin/launchd',
      '  512   501   512  512 ttys003  S+   Tue Nov 25 10:11:12 2025     /bin/zsh -l',
      '  513   512   512  512 ttys003  Z+   Tue Nov 25 10:11:13 2025     (sh)',
      '',
    ].join('\n')
    const [init, shell, dead] = parsePs(text)
    expect(init).toMatchObject({ pid: 1, parent: 0, terminal: '', zombie: false, command: '/sbin/launchd' })
    expect(shell).toMatchObject({ pid: 512, group: 512, terminal: 'ttys003', started: 'Tue Nov 25 10:11:12 2025' })
    expect(shell).toMatchObject({ command: '/bin/zsh -l', foreground: 512, session: 0 })
    expect(dead).toMatchObject({ pid: 513, zombie: true })
  })

  test('of this machine contains this process with the same identity each time', async () => {
    const table = new ProcessTable()
    const [first, second] = await Promise.all([table.list(), table.list()])
    const me = first.find(({ pid }) => pid === process.pid)
    expect(me).toBeDefined()
    expect(second.find(({ pid }) => pid === process.pid)?.started).toBe(me?.started ?? '')
    expect(readProcess(process.pid)?.started).toBe(me?.started ?? '')
    if (process.platform === 'linux') expect(me?.started).toStartWith(bootId())
  })
})
