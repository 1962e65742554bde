import type { Settings, WantedBuilder } from './wanted.ts'

const hook = (command: string): Settings => ({ type: 'command', command })
const group = (...commands: string[]): Settings => ({ hooks: commands.map(hook) })
const started = (program: string) => `gc prime --hook --hook-format ${program}`
const bounded = (command: string) => `gc hook run --timeout 15s --timeout-exit-code 0 -- ${command}`
const CHECKS = [bounded('nudge drain --inject'), bounded('mail check --inject')]
const HANDOFF = 'gc handoff --auto "context cycle"'

const FROM = 'gc'

/** The plugin that tells gc which conversation OpenCode holds; it does nothing outside of a session. */
const OPENCODE_PLUGIN = `export const gc = async ({ $ }) => ({
  event: async ({ event }) => {
    if (!process.env.GC_SESSION_ID || event.type !== 'session.created') return
    const input = new Response(JSON.stringify({ session_id: event.properties.info.id, source: 'startup' }))
    await $\`gc prime --hook --hook-format opencode < \${input}\`.quiet().nothrow()
  },
})
`

/** The hooks of gc itself, for programs whose packs bring none. */
const INSTALLERS: Readonly<Record<string, (wanted: WantedBuilder) => void>> = {
  claude: (wanted) =>
    wanted.settings(
      '.claude/settings.json',
      {
        hooks: {
          SessionStart: [group(started('claude'))],
          UserPromptSubmit: [group(...CHECKS)],
          PreCompact: [group(HANDOFF)],
        },
      },
      FROM,
    ),
  codex: (wanted) =>
    wanted.settings(
      '.codex/hooks.json',
      { hooks: { SessionStart: [group(started('codex'))], UserPromptSubmit: [group(...CHECKS)] } },
      FROM,
    ),
  gemini: (wanted) =>
    wanted.settings(
      '.gemini/settings.json',
      {
        hooks: {
          SessionStart: [group(started('gemini'))],
          BeforeAgent: [group(...CHECKS)],
          PreCompress: [group(HANDOFF)],
        },
      },
      FROM,
    ),
  opencode: (wanted) => wanted.file('.opencode/plugins/gc.js', Buffer.from(OPENCODE_PLUGIN), 0o644),
}

/** Adds the hooks of gc itself for a program; one without any is a problem. */
export function addOwnHooks(program: string, wanted: WantedBuilder): void {
  if (Object.hasOwn(INSTALLERS, program)) INSTALLERS[program]?.(wanted)
  else wanted.problems.push(`install_agent_hooks: neither a pack nor gc has hooks for ${program}`)
}
