import { describe, expect, test } from 'bun:test'
import { resolve } from 'node:path'
import { tempFolder } from '../support/folder.ts'
import { type Failing, withoutCalls } from '../support/without-calls.ts'

const binary = resolve(process.env.GC_BINARY ?? 'dist/gc')
const [EPERM, EBUSY, EINVAL, ENOSYS] = [1, 16, 22, 38]
/** Flags of the call `seccomp`. */
const [NEW_LISTENER, WAIT_KILLABLE] = [8, 32]

/** Runs `gc confine` on a kernel that fails a call. */
async function confinedWithout(failing: Failing) {
  using folder = tempFolder()
  using home = tempFolder()
  const command = [...withoutCalls([failing]), binary, 'confine', '--', '/bin/sh', '-c', 'echo ran']
  const child = Bun.spawn(command, {
    cwd: folder.path,
    env: { PATH: process.env.PATH, HOME: home.path, GC_HOME: home.at('gc') },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 20_000,
  })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { code: await child.exited, out, err }
}

describe.skipIf(process.platform !== 'linux')('gc confine on a kernel', () => {
  const listener = { call: 'seccomp', when: [{ arg: 1, anyOf: NEW_LISTENER }] } as const
  const missing: [string, Failing, string][] = [
    ['has no Landlock', { call: 'landlock_create_ruleset', errno: ENOSYS }, 'this kernel has no Landlock'],
    ['hands no calls over', { ...listener, when: [...listener.when], errno: EINVAL }, 'cannot pass system calls to gc'],
    [
      'hands them to another program',
      { ...listener, when: [...listener.when], errno: EBUSY },
      'another program already handles',
    ],
    ['passes no descriptors on', { call: 'sendmsg', errno: EPERM }, 'listener could not be handed to the session host'],
  ]
  test.concurrent.each(missing)(
    'that %s starts nothing, and says why and how to do without',
    async (_, failing, why) => {
      const { code, out, err } = await confinedWithout(failing)
      expect({ code, out }).toEqual({ code: 126, out: '' })
      expect(err).toMatch(new RegExp(`^gc: /bin/sh was not started: .*${why}.*confine = "off"`))
    },
  )

  test('older than 5.19, whose calls any signal interrupts, runs the command', async () => {
    const failing: Failing = { call: 'seccomp', errno: EINVAL, when: [{ arg: 1, anyOf: WAIT_KILLABLE }] }
    expect(await confinedWithout(failing)).toEqual({ code: 0, out: 'ran\n', err: '' })
  })
})
