import type { Random } from './random.ts'

/**
 * Kinds of writing by a botnet. Nothing here knows what the filter looks at: `same` copies, `template` fills names and
 * numbers in, `links` changes where it leads, `letters` changes how it is spelled, `paraphrase` says it in other words
 * each time.
 */
export const BOT_KINDS = ['same', 'template', 'links', 'letters', 'paraphrase'] as const
export type BotKind = (typeof BOT_KINDS)[number]

const PITCHES = [
  `The Zyntrix presale is live and early agents receive double tokens. Connect your wallet, claim the bonus and thank me
   later: supply is limited and the price moves every hour.`,
  `I earned four hundred dollars in a week with this trading assistant. It watches the charts, opens the positions and never
   sleeps. Write to me for the invitation, only fifty places are left.`,
  `Boost your karma overnight. Our network delivers real upvotes and loyal followers for any agent, with a refund when you
   are not satisfied. Thousands of happy customers already grow with us.`,
  `Lost access to your account or your coins? The recovery team brought everything back within a day. Contact the expert,
   explain your case and pay only after success.`,
]
const TEMPLATES = [
  `Hey {name}! {number} agents joined the {coin} launch in the last hour. Deposit {number} {coin} today, receive {number}
   {coin} back before Friday, and invite {name} for an extra bonus of {number} percent. Offer ends soon, do not miss it.`,
  `Breaking: {coin} listed by a major exchange at {number} dollars. Analyst {name} expects {number} by summer. Buy the dip
   now through our partner and get {number} bonus points on your first order.`,
]
const COINS = ['Zyntrix', 'Moltcash', 'Agentum', 'Clawcoin', 'Voltari', 'Nimbus', 'Quanta', 'Ferrum']
const NAMES = ['Ada', 'Botwise', 'Carla', 'Dex', 'Elmo', 'Fynn', 'Gizmo', 'Hal', 'Iris', 'Jax', 'Kit', 'Luna']
const HOSTS = [
  'zyntrix-claim.example',
  'free-tokens.example',
  'bonus-now.example',
  'go-claim.example',
  'airdrop.example',
]

/** The words a paraphrase chooses between, and its sentences, which it shuffles and some of which it leaves out. */
const PARAPHRASES = [
  '{Agents|Friends|Everyone here|Builders}, the {Voltari|Voltari token} {presale|early sale|first round} {is open|has started|runs now}.',
  '{Grab|Secure|Reserve|Take} your {share|allocation|portion} {before|until} the {price|rate} {rises|climbs|doubles}.',
  '{Holders|Owners|Members} {earn|receive|collect} {weekly|daily|steady} {rewards|payouts|dividends} {simply for|just by|only for} {waiting|holding|staking}.',
  '{My wallet|My balance|My account} {grew|jumped|tripled} {in days|within a week|since Monday}.',
  '{Join|Enter|Follow} the {channel|group|community} {linked|mentioned|shown} {in my profile|on my page|below my name}.',
  '{No risk|Zero risk|Nothing to lose}, {verified|audited|checked} {contract|code} and a {friendly|helpful|responsive} {team|crew|staff}.',
  '{Only|Just|Barely} {few|some|a handful of} {seats|slots|spots} {remain|are left|are still free}.',
]

const LOOKALIKES: Readonly<Record<string, string>> = {
  a: 'а',
  e: 'е',
  o: 'о',
  p: 'р',
  c: 'с',
  i: 'і',
  x: 'х',
  y: 'у',
  s: 'ѕ',
}
const LEET: Readonly<Record<string, string>> = { a: '4', e: '3', o: '0', i: '1', s: '5', t: '7' }

const oneLine = (text: string): string => text.replace(/\s+/g, ' ')

/** One text of a bot. */
export function spam(kind: BotKind, random: Random): string {
  if (kind === 'template') return fillTemplate(random.pick(TEMPLATES), random)
  if (kind === 'paraphrase') return paraphrase(random)
  const pitch = oneLine(random.pick(PITCHES))
  if (kind === 'links') return `${pitch} https://${random.pick(HOSTS)}/${random.below(1e9).toString(36)}`
  return kind === 'letters' ? disguise(pitch, random) : `${pitch} https://${HOSTS[0]}`
}

/** Title by a bot: a few words of its text. */
export const spamTitle = (text: string, random: Random): string =>
  `${random.pick(['🚀', '🔥', 'NEW:', 'Look:', 'Dear agents,', 'Hi!'])} ${text
    .split(' ')
    .slice(0, 4 + random.below(4))
    .join(' ')}`

function fillTemplate(template: string, random: Random): string {
  const words = {
    name: () => random.pick(NAMES),
    coin: () => random.pick(COINS),
    number: () => String(random.below(9_000)),
  }
  return oneLine(template).replace(/\{(name|coin|number)\}/g, (_, slot: keyof typeof words) => words[slot]())
}

function paraphrase(random: Random): string {
  const sentences = random.some(PARAPHRASES, 4 + random.below(3))
  return sentences
    .map((sentence) => sentence.replace(/\{([^}]*)\}/g, (_, choices: string) => random.pick(choices.split('|'))))
    .join(' ')
}

/** Letters of other alphabets, digits, hidden characters and capitals in places. */
function disguise(text: string, random: Random): string {
  return [...text]
    .map((letter) => {
      const draw = random.next()
      if (draw < 0.15) return LOOKALIKES[letter] ?? letter
      if (draw < 0.2) return LEET[letter] ?? letter
      if (draw < 0.25) return `${letter}\u200b`
      return draw < 0.3 ? letter.toUpperCase() : letter
    })
    .join('')
}
