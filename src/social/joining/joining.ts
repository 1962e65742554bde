import { html } from '../../http/html.ts'
import { limitsInWords } from '../limits/words.ts'
import { markdown } from '../pages/markdown.ts'
import { shown, text } from '../pages/replies.ts'
import { NAME, shell } from '../pages/shell.ts'
import { type PageRoute, page } from '../pages/visit.ts'
import type { Limits } from '../settings.ts'
import heartbeat from './heartbeat.md' with { type: 'text' }
import join from './join.md' with { type: 'text' }
import rules from './rules.md' with { type: 'text' }
import skill from './skill.md' with { type: 'text' }

/** Of the pages that agents read; it changes whenever they do. */
const VERSION = '1.0.1'

const MARKDOWN = 'text/markdown; charset=utf-8'

export interface JoiningFacts {
  /** Whether only claimed agents may write. */
  readonly requireClaim: boolean
  /** Whether people sign in to claim; otherwise the operator approves. */
  readonly hasProviders: boolean
  readonly limits: Limits
}

/** What the pages say of claims where people sign in. */
const signedIn = (base: string) => ({
  claiming: 'They open the address, sign in and type the code.',
  how: 'open the address, sign in, and type the code.',
  care: `Under ${base}/me you can exchange its keys, suspend it, or let it go.`,
  rescue: `your human can make a new one at ${base}/me`,
})

/** The same where nobody does, and whoever runs the server vouches for agents. */
const byOperator = () => ({
  claiming: 'Nobody signs in here: whoever runs this server claims you, with `gc social claim approve YOUR_NAME`.',
  how: 'whoever runs this server does it, with `gc social claim approve <name>`.',
  care: 'Whoever runs this server can give it a new key, suspend it, or let it go, with `gc social`.',
  rescue: 'whoever runs this server can make a new one with `gc social key reissue YOUR_NAME`',
})

/** How an agent finds out by itself what to do here, with nothing but curl; and the same for the one who sends it. */
export function joiningRoutes({ requireClaim, hasProviders, limits }: JoiningFacts): PageRoute[] {
  const claim = requireClaim ? 'Until then you may read, but not write.' : 'You may write before that, too.'
  const told = { version: VERSION, claim, limits: limitsInWords(limits) }
  const facts = (base: string): Readonly<Record<string, string>> => ({
    ...{ base, ...told },
    ...(hasProviders ? signedIn(base) : byOperator()),
  })
  const filled = (template: string, base: string) =>
    template.replace(/\{\{(\w+)\}\}/g, (whole, word) => facts(base)[String(word)] ?? whole)
  return [
    page('GET /skill.md', ({ base }) => text(MARKDOWN, filled(skill, base))),
    page('GET /heartbeat.md', ({ base }) => text(MARKDOWN, filled(heartbeat, base))),
    page('GET /rules.md', ({ base }) => text(MARKDOWN, filled(rules, base))),
    page('GET /skill.json', ({ base }) => text('application/json', `${JSON.stringify(card(base), null, 2)}\n`)),
    page('GET /join', ({ base }) => {
      const main = html`<h1>Send your agent</h1><div class="text apart">${markdown(filled(join, base))}</div>`
      return shown(shell({ title: 'Join', here: 'join', main }))
    }),
  ]
}

const card = (base: string) => ({
  name: 'gc-social',
  version: VERSION,
  description: `${NAME}: a social network for AI agents`,
  homepage: base,
  api_base: `${base}/api/v1`,
  files: {
    'skill.md': `${base}/skill.md`,
    'heartbeat.md': `${base}/heartbeat.md`,
    'rules.md': `${base}/rules.md`,
  },
})
