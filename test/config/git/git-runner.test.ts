import { describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { GitRunner, gitErrorMessage } from '../../../src/config/git/git-runner.ts'
import { Deadlines } from '../../../src/core/deadlines.ts'
import { TestClock } from '../../support/clock.ts'
import { tempFolder } from '../../support/folder.ts'

/** A runner whose git is this shell script. */
function scripted(script: string, deadlines = new Deadlines()) {
  const folder = tempFolder()
  mkdirSync(folder.at('bin'))
  writeFileSync(folder.at('bin', 'git'), `#!/bin/sh\n${script}\n`)
  chmodSync(folder.at('bin', 'git'), 0o755)
  const env = { ...process.env, PATH: `${folder.at('bin')}:${process.env.PATH}`, GIT_DIR: '/elsewhere' }
  return { git: new GitRunner({ deadlines, env }), [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

describe('a git command', () => {
  test('returns its exit status and output, and runs no hooks', async () => {
    using fake = scripted('echo "$@"; echo "first" >&2; echo "last words" >&2; exit 3')
    const result = await fake.git.run(['fetch'], { timeout: 5000 })
    expect(result.exitCode).toBe(3)
    expect(result.stdout).toBe('-c core.fsmonitor=false -c core.hooksPath=/dev/null -c gc.auto=0 fetch\n')
    expect(gitErrorMessage(result)).toBe('last words')
    expect(gitErrorMessage({ ...result, stderr: '' })).toBe('git exited with status 3')
  })

  test('prompts for nothing and knows no repository beforehand', async () => {
    using fake = scripted('echo "$GIT_TERMINAL_PROMPT,$GIT_DIR,$EXTRA"')
    const { stdout } = await fake.git.run([], { timeout: 5000, env: { EXTRA: 'more' } })
    expect(stdout).toBe('0,,more\n')
  })

  test('is killed after its timeout', async () => {
    const clock = new TestClock()
    const deadlines = new Deadlines(clock, clock)
    using fake = scripted('exec sleep 60', deadlines)
    const running = fake.git.run([], { timeout: 3000 })
    await clock.advance(3000)
    expect((await running).exitCode).not.toBe(0)
    expect(deadlines.size).toBe(0)
  })

  test('is killed when its signal aborts, and throws the reason', async () => {
    using fake = scripted('exec sleep 60')
    const abort = new AbortController()
    const running = fake.git.run([], { timeout: 60_000, signal: abort.signal })
    abort.abort(new Error('the city closes'))
    await expect(running).rejects.toThrow('the city closes')
  })

  test('says what to install when there is no git', async () => {
    const git = new GitRunner({ deadlines: new Deadlines(), env: { PATH: '/nowhere' } })
    expect(git.isInstalled).toBe(false)
    await expect(git.run([], { timeout: 1000 })).rejects.toThrow('there is no git on the PATH; install it')
  })
})

test.each([
  ["fatal: repository 'x' not found", "repository 'x' not found"],
  [
    'fatal: write error: No space left on device\nfatal: fetch-pack: invalid index-pack output',
    'write error: No space left on device',
  ],
  [
    "error: unable to write file big: No space left on device\nfatal: unable to checkout working tree\nwarning: Clone succeeded, but checkout failed.\nYou can inspect what was checked out with 'git status'\nand retry with 'git restore --source=HEAD :/'\n",
    'unable to write file big: No space left on device',
  ],
  [
    'git@host.example: Permission denied (publickey).\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.\n',
    'git@host.example: Permission denied (publickey).',
  ],
  [
    'ERROR: Repository not found.\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.\n',
    'ERROR: Repository not found.',
  ],
  [
    'error: RPC failed; curl 56 Recv failure: Connection reset by peer\nerror: 12 bytes of body are still expected\nfatal: early EOF\nfatal: fetch-pack: invalid index-pack output',
    'RPC failed; curl 56 Recv failure: Connection reset by peer',
  ],
  [
    'git-lfs filter-process: 1: git-lfs: not found\nfatal: the remote end hung up unexpectedly',
    'git-lfs filter-process: 1: git-lfs: not found',
  ],
  [
    "fatal: could not create work tree dir 'x': Permission denied",
    "could not create work tree dir 'x': Permission denied",
  ],
  [
    'remote: Access denied: the project is archived\nfatal: the remote end hung up unexpectedly',
    'Access denied: the project is archived',
  ],
  ['fatal: the remote end hung up unexpectedly', 'the remote end hung up unexpectedly'],
  ['\n', 'git exited with status 128'],
])('a failure is told by its cause: %j', (stderr, cause) => {
  expect(gitErrorMessage({ exitCode: 128, stdout: '', stderr })).toBe(cause)
})

test('a clone that could not be written is reported with the reason', async () => {
  using folder = tempFolder()
  const runner = new GitRunner({ deadlines: new Deadlines(), env: { PATH: process.env.PATH } })
  const source = folder.at('source')
  Bun.spawnSync(['git', 'init', '-q', source])
  writeFileSync(folder.at('source', 'big'), Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))))
  Bun.spawnSync(['sh', '-c', 'git add . && git -c user.name=a -c user.email=a@b commit -q -m big'], { cwd: source })
  const words = ['clone', '-q', `file://${source}`, folder.at('copy')]
  const result = await runner.run(words, { timeout: 10_000, maxFileSize: 30_000 })
  expect(result.exitCode).not.toBe(0)
  expect(gitErrorMessage(result)).toBe('write error: File too large')
})
