import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { firstRunFiles, loginFile } from '../../../src/agents/confinement/private-home.ts'
import { parseToml, toPlainValue } from '../../../src/core/toml/parse.ts'
import { type TempFolder, tempFolder } from '../../support/folder.ts'

function put(folder: TempFolder, path: string, content: string | object): void {
  mkdirSync(dirname(folder.at(path)), { recursive: true })
  writeFileSync(folder.at(path), typeof content === 'string' ? content : JSON.stringify(content))
}

const begun = (folder: TempFolder, provider: string, env: Record<string, string> = {}) =>
  Object.fromEntries(
    firstRunFiles(provider, { env, home: folder.path, workDir: '/srv/shop/a' }).map(({ path, text }) => [path, text]),
  )

describe('the private home of a confined program', () => {
  test('begins with what a person has seen and accepted of Claude Code, and with nothing else', () => {
    using folder = tempFolder()
    const trusted = { hasTrustDialogAccepted: true, history: ['secret'] }
    put(folder, '.claude.json', {
      ...{ hasCompletedOnboarding: true, theme: 'dark', bypassPermissionsModeAccepted: true },
      ...{ oauthAccount: { emailAddress: 'ann@example.com' }, mcpServers: { a: { env: { KEY: 'secret' } } } },
      projects: { '/srv/shop': trusted, '/srv/shop/ab': trusted, '/srv/bank': trusted },
    })
    put(folder, '.claude/settings.json', {
      skipDangerousModePermissionPrompt: true,
      hooks: { Stop: [] },
      env: { A: 'b' },
    })
    const files = begun(folder, 'claude')
    expect(JSON.parse(files['claude/.claude.json'] ?? '')).toEqual({
      ...{ hasCompletedOnboarding: true, theme: 'dark', bypassPermissionsModeAccepted: true },
      projects: { '/srv/shop': { hasTrustDialogAccepted: true } },
    })
    expect(JSON.parse(files['claude/settings.json'] ?? '')).toEqual({ skipDangerousModePermissionPrompt: true })
  })

  test('begins with the notices and the trust of Codex', () => {
    using folder = tempFolder()
    put(
      folder,
      'codex/config.toml',
      `model = "m"
check_for_update_on_startup = false
[notice]
hide_full_access_warning = true
[notice.model_migrations]
"m" = "n"
[mcp_servers.a.env]
KEY = "secret"
[projects."/srv/shop"]
trust_level = "trusted"
[projects."/srv/bank"]
trust_level = "trusted"
`,
    )
    const { 'codex/config.toml': text = '' } = begun(folder, 'codex', { CODEX_HOME: folder.at('codex') })
    expect(toPlainValue(parseToml(text))).toEqual({
      ...{ model: 'm', check_for_update_on_startup: false },
      notice: { hide_full_access_warning: true, model_migrations: { m: 'n' } },
      projects: { '/srv/shop': { trust_level: 'trusted' } },
    })
  })

  test('begins with how a person logs in with Gemini, and what they trust', () => {
    using folder = tempFolder()
    put(folder, '.gemini/settings.json', {
      security: { auth: { selectedType: 'gemini-api-key', apiKey: 'secret' }, folderTrust: { enabled: true } },
      ...{ ui: { theme: 'x', footer: {} }, mcpServers: { a: {} } },
    })
    put(folder, '.gemini/trustedFolders.json', { '/srv/shop/a': 'TRUST_FOLDER', '/srv/bank': 'TRUST_FOLDER' })
    const files = begun(folder, 'gemini')
    expect(JSON.parse(files['gemini/.gemini/settings.json'] ?? '')).toEqual({
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: true } },
      ui: { theme: 'x' },
    })
    expect(JSON.parse(files['gemini/.gemini/trustedFolders.json'] ?? '')).toEqual({ '/srv/shop/a': 'TRUST_FOLDER' })
  })

  test('begins empty where no one has seen anything, or wrote what is not configuration', () => {
    using folder = tempFolder()
    for (const provider of ['claude', 'codex', 'gemini', 'opencode']) expect(begun(folder, provider)).toEqual({})
    put(folder, '.claude.json', '[1')
    put(folder, '.codex/config.toml', '[a')
    for (const provider of ['claude', 'codex']) expect(begun(folder, provider)).toEqual({})
  })

  test.each([
    ['claude', '.claude/.credentials.json', 'claude/.credentials.json'],
    ['codex', '.codex/auth.json', 'codex/auth.json'],
    ['gemini', '.gemini/oauth_creds.json', 'gemini/.gemini/oauth_creds.json'],
    ['opencode', '.local/share/opencode/auth.json', 'data/opencode/auth.json'],
  ])('has a link to the one file with the login of %s, where there is one', (provider, file, path) => {
    using folder = tempFolder()
    const place = { env: {}, home: folder.path }
    expect(loginFile(provider, place)).toBeUndefined()
    put(folder, file, 'x')
    expect(loginFile(provider, place)).toEqual({ path, to: folder.at(file) })
  })
})
