import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { claude, codex, gemini, opencode } from './programs.ts'
import { eventually, openTown } from './town.ts'

setDefaultTimeout(120_000)

const CITY = join(import.meta.dir, '../../support/cities/brings')

/** Name by which a program calls the tool of the pack's MCP server. */
const TOOLS: Readonly<Record<string, RegExp>> = {
  claude: /mcp__notes__lookup/,
  // Codex offers it by the name of its server first.
  codex: /mcp__notes/,
  gemini: /mcp_notes_lookup|notes__lookup|"lookup"/,
  opencode: /notes_lookup/,
}
/** Settings with MCP servers, one of which has a secret. */
const SETTINGS: Readonly<Record<string, string>> = {
  claude: '.mcp.json',
  codex: '.codex/config.toml',
  gemini: '.gemini/settings.json',
  opencode: 'opencode.json',
}

const SKILLS: Readonly<Record<string, string>> = {
  claude: '.claude/skills',
  codex: '.agents/skills',
  gemini: '.gemini/skills',
  opencode: '.opencode/skills',
}

describe.each([claude, codex, gemini, opencode])('a pack reaches $provider', (program) => {
  test('with its prompt, a file, a hook, a skill and an MCP server, and nothing of them is left', async () => {
    const { provider } = program
    await using town = await openTown(() => ({ text: 'Standing by.' }), '', program)
    cpSync(CITY, town.city, { recursive: true })
    await town.declare(`\n[agent_defaults]\nprovider = "${provider}"\n`)
    const { id } = JSON.parse(await town.gc('session', 'new', 'web/tools.worker', '--json'))
    const sent = () => town.model.bodies.join('\n')
    // Codex has a person review the hooks of a folder.
    if (program === codex) await eventually(() => town.gc('attention', 'answer', id, '2').then(Boolean, () => false))
    await eventually(() => sent().includes('Rules of tools'))
    await eventually(() => existsSync(join(town.city, 'hooked')))
    expect(readFileSync(join(town.city, 'hooked'), 'utf8').trim()).toBe(id)
    expect(readFileSync(join(town.rig, 'HARBOUR.md'), 'utf8')).toContain('opens at six')
    await eventually(() => sent().includes('tide tables of the grey harbour'))
    await town.gc('session', 'send', id, 'And now?').catch(() => {})
    await eventually(() => TOOLS[provider]?.test(sent()) ?? false)
    const settings = join(town.rig, SETTINGS[provider] ?? '')
    expect(readFileSync(settings, 'utf8')).toContain('kept-from-others')
    expect(statSync(settings).mode & 0o777).toBe(0o600)
    expect(await town.run('git', 'status', '--porcelain')).toBe('')
    await town.gc('session', 'close', id)
    await eventually(() => !existsSync(settings) && !existsSync(join(town.rig, 'HARBOUR.md')))
    expect(existsSync(join(town.rig, SKILLS[provider] ?? '', 'tools.tide-tables'))).toBe(false)
    expect(await town.run('git', 'status', '--porcelain')).toBe('')
  })
})
