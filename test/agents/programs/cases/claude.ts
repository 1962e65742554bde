import { join } from 'node:path'
import type { Place } from '../asked-program.ts'
import type { ProviderError, Script } from '../model-server.ts'
import { claude } from '../programs.ts'
import {
  ASKING,
  type AskedCase,
  asks,
  CALL,
  CHANGE,
  CODE,
  COLOURS,
  calls,
  code,
  commands,
  LIMITED_FOR,
  PLAN,
  SIZES,
  servers,
  startup,
  write,
} from './case.ts'

const single = (question: object) => ({ ...question, multiSelect: false })

/** Its limit of five hours, as its provider states it. */
const limit = (): ProviderError => ({
  status: 429,
  headers: {
    'anthropic-ratelimit-unified-status': 'rejected',
    'anthropic-ratelimit-unified-reset': String(Math.floor(Date.now() / 1000) + LIMITED_FOR),
    'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    'retry-after': String(LIMITED_FOR),
    'x-should-retry': 'false',
  },
  body: { type: 'error', error: { type: 'rate_limit_error', message: 'This request would exceed your rate limit.' } },
})

/** A person's login instead of that of the tests. */
const loggedIn = {
  env: { ANTHROPIC_AUTH_TOKEN: '' },
  prepare: ({ home }: Place) =>
    write(
      join(home, '.claude', '.credentials.json'),
      JSON.stringify({
        claudeAiOauth: {
          accessToken: `sk-ant-oat01-${'a'.repeat(80)}`,
          refreshToken: `sk-ant-ort01-${'b'.repeat(80)}`,
          expiresAt: Date.now() + 86_400_000,
          scopes: ['user:inference', 'user:profile'],
          subscriptionType: 'max',
        },
      }),
    ),
}

/** Writes its plan to the file that the program names, and asks to leave its mode. */
const plans: Script = ({ results }, body) => {
  const [, path] = /create your plan at (\/\S+\.md)/.exec(body) ?? []
  if (results.length === 0 && path) return { tool: 'Write', input: { file_path: path, content: PLAN.join('\n') } }
  return results.length < 2 ? { tool: 'ExitPlanMode', input: {} } : { text: 'Done.' }
}

export const claudeCases = (): AskedCase[] => {
  let work = ''
  const prepare = (place: Place) => {
    work = place.work
    code(place)
  }
  const edit: Script = ({ results }) =>
    results.length === 0
      ? { tool: 'Read', input: { file_path: join(work, 'a.ts') } }
      : results.length === 1
        ? {
            tool: 'Edit',
            input: { file_path: join(work, 'a.ts'), old_string: CHANGE.before, new_string: CHANGE.after },
          }
        : { text: 'Done.' }
  const overwrite: Script = ({ results }) =>
    [
      { tool: 'Read', input: { file_path: join(work, 'a.ts') } },
      { tool: 'Write', input: { file_path: join(work, 'a.ts'), content: 'Be kind\n' } },
    ][results.length] ?? { text: 'Done.' }
  const home = (change: object) => (place: Place) => write(join(place.home, '.claude.json'), JSON.stringify(change))
  const known = { hasCompletedOnboarding: true, theme: 'dark' }
  return [
    ...commands(claude),
    asks(
      claude,
      'a new file of 80 lines',
      ['b.ts', ...CODE],
      calls({ tool: 'Write', input: { file_path: 'b.ts', content: CODE.join('\n') } }),
    ),
    asks(claude, 'a file that is there', ['a.ts', `-${CHANGE.before}`, '+Be kind'], overwrite, { prepare }),
    asks(claude, 'an edit', ['a.ts', `-${CHANGE.before}`, `+${CHANGE.after}`], edit, { prepare }),
    asks(
      claude,
      'a web fetch',
      ['https://example.com/a?b=c'],
      calls({ tool: 'WebFetch', input: { url: 'https://example.com/a?b=c', prompt: 'Read it' } }),
    ),
    asks(
      claude,
      'a tool of a server',
      ['Ship', 'production', '1.2.3'],
      calls({ tool: 'mcp__deploy__ship', input: CALL }),
      {
        args: [`--mcp-config=${JSON.stringify({ mcpServers: servers })}`],
      },
    ),
    asks(
      claude,
      'a question',
      [],
      calls({ tool: 'AskUserQuestion', input: { questions: [single(COLOURS)] } }),
      {},
      'choice',
    ),
    asks(
      claude,
      'two questions',
      ['Colour', 'Size'],
      calls({ tool: 'AskUserQuestion', input: { questions: [COLOURS, SIZES].map(single) } }),
      {},
      'choice',
    ),
    {
      ...asks(
        claude,
        'boxes to tick',
        [],
        calls({ tool: 'AskUserQuestion', input: { questions: [{ ...COLOURS, multiSelect: true }] } }),
        {},
        'choice',
      ),
      together: ['Red', 'Blue'],
    },
    asks(
      claude,
      'leaving plan mode',
      [],
      calls({ tool: 'ExitPlanMode', input: { plan: '1. Do this' } }),
      { options: { permission_mode: 'plan' } },
      'plan',
    ),
    asks(claude, 'a plan of 62 steps', PLAN.slice(1), plans, { options: { permission_mode: 'plan' } }, 'plan'),
    {
      ...startup(claude, 'a login', 'login', ['your Claude subscription'], {
        ...ASKING.claude,
        prompt: '/login',
      }),
      wantsMore: /account/,
    },
    {
      ...startup(claude, 'a usage limit', 'usage-limit', [], {
        ...ASKING.claude,
        ...loggedIn,
        prompt: 'Make it',
        script: limit,
      }),
      async typed({ sees, press }) {
        await sees('Continuing automatically')
        await press('\x1b')
        await sees('/rate-limit-options to')
        await press('/rate-limit-options')
        await sees('Manage usage limits')
        await press('\r')
      },
      wantsMore: /Upgrade/,
    },
    {
      ...asks(
        claude,
        'a question of a server',
        ['requests your input'],
        calls({ tool: 'mcp__deploy__confirm', input: CALL }),
        { args: [`--mcp-config=${JSON.stringify({ mcpServers: servers })}`, '--allowedTools=mcp__deploy__confirm'] },
        'mcp',
      ),
      // What is sent without a tick in the required field is not taken.
      wantsMore: /^Accept/,
    },
    {
      ...asks(
        claude,
        'a form of a server',
        ['requests your input'],
        calls({ tool: 'mcp__deploy__plan', input: CALL }),
        { args: [`--mcp-config=${JSON.stringify({ mcpServers: servers })}`, '--allowedTools=mcp__deploy__plan'] },
        'mcp',
      ),
      // What is sent without the required field is not taken.
      wantsMore: /^(?:Accept|Sizes|Sure|Note)/,
    },
    startup(claude, 'a folder to trust', 'trust', ['Accessing workspace'], { prepare: home(known) }),
    startup(claude, 'colours', 'theme', [], { prepare: home({}) }),
    startup(claude, 'an API key', 'api-key', ['ANTHROPIC_API_KEY'], {
      env: { ANTHROPIC_AUTH_TOKEN: '', ANTHROPIC_API_KEY: `sk-ant-api03-${'a'.repeat(80)}` },
    }),
    startup(claude, 'no permission checks', 'permissions', ['Bypass Permissions mode'], {
      options: { permission_mode: 'unrestricted' },
      prepare: ({ home: folder, work: path }) =>
        write(
          join(folder, '.claude.json'),
          JSON.stringify({ ...known, projects: { [path]: { hasTrustDialogAccepted: true } } }),
        ),
    }),
    startup(claude, 'a new server of tools', 'mcp', ['deploy'], {
      ...ASKING.claude,
      prepare: ({ work: path }) => write(join(path, '.mcp.json'), JSON.stringify({ mcpServers: servers })),
    }),
    startup(claude, 'instructions from elsewhere', 'imports', ['out.md'], {
      prepare: ({ folder, work: path }) => {
        write(folder.at('out.md'), 'Be kind.')
        write(join(path, 'CLAUDE.md'), `@${folder.at('out.md')}\n`)
      },
    }),
  ]
}
