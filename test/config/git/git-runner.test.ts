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
    expect(gitErrorMessage({ ...result, stderr: '' })).toBe('git ended with status 3')
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
