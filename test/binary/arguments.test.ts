import { expect, test } from 'bun:test'
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { tempFolder } from '../support/folder.ts'

const binary = resolve(process.env.GC_BINARY ?? 'dist/gc')
const KEYS = {
  ANTHROPIC_API_KEY: 'sk-ant-planted-1',
  OPENAI_API_KEY: 'sk-planted-2',
  GEMINI_API_KEY: 'planted-3',
  GITHUB_TOKEN: 'ghp_planted4',
  HTTPS_PROXY: 'http://me:planted-5@127.0.0.1:9',
}

/** The arguments of every process that there is now. */
const allArguments = (): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      } catch {
        return []
      }
    })

test.skipIf(process.platform !== 'linux')(
  'no process that gc starts has a key or token in its arguments',
  async () => {
    using folder = tempFolder()
    mkdirSync(folder.at('bin'))
    for (const name of ['claude', 'codex', 'gemini']) {
      writeFileSync(folder.at('bin', name), '#!/bin/sh\necho started; sleep 60\n')
      chmodSync(folder.at('bin', name), 0o755)
    }
    const env = {
      ...{ PATH: `${folder.at('bin')}:${process.env.PATH}`, HOME: folder.at('user'), GC_HOME: folder.at('home') },
      ...{ GC_NO_AUTOSTART: '1', ...KEYS },
    }
    mkdirSync(folder.at('user'))
    const gc = (...args: string[]) => {
      const { exitCode, stdout, stderr } = Bun.spawnSync([binary, ...args], { cwd: folder.path, env, timeout: 30_000 })
      if (exitCode !== 0) throw new Error(`gc ${args.join(' ')}: ${stderr}`)
      return stdout.toString()
    }
    const server = Bun.spawn([binary, 'serve', '--port', '0'], {
      env,
      cwd: folder.path,
      stdout: 'pipe',
      stderr: 'ignore',
    })
    try {
      await server.stdout.getReader().read()
      gc('init', 'town')
      const seen = new Set<string>()
      const look = () => {
        for (const line of allArguments()) seen.add(line)
      }
      for (const name of ['claude', 'codex', 'gemini']) {
        gc('--city', 'town', 'agent', 'add', name, '--provider', name)
        gc('--city', 'town', 'session', 'new', name)
        look()
      }
      for (let waited = 0; waited < 100 && !['claude', 'codex', 'gemini'].every(isRun); waited++) {
        await Bun.sleep(50)
        look()
      }
      look()
      const token = readFileSync(folder.at('home', 'token'), 'utf8').trim()
      const secrets = [...Object.values(KEYS), 'planted-5', token]
      const lines = [...seen].filter((line) => !line.includes('arguments.test'))
      expect(lines.filter((line) => line.includes(folder.path)).length).toBeGreaterThanOrEqual(3)
      expect(lines.filter((line) => secrets.some((secret) => line.includes(secret)))).toEqual([])
      expect(lines.filter((line) => /\bgc[sop]_[\w-]{16}/.test(line))).toEqual([])
    } finally {
      gc('down')
      await server.exited
    }

    function isRun(name: string): boolean {
      return allArguments().some((line) => line.includes(folder.at('bin', name)))
    }
  },
  60_000,
)
