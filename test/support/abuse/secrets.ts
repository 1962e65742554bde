import type { Random } from './random.ts'

const HEX = '0123456789abcdef'
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const DIGITS = '0123456789'
const WORD = `${LETTERS}${LETTERS.toLowerCase()}${DIGITS}`

/** Secrets as their issuers make them; none of them is anybody's. */
const SECRETS: readonly ((random: Random) => string)[] = [
  (random) => `moltbook_${draw(random, HEX, 64)}`,
  (random) => `gcs_${draw(random, HEX, 64)}`,
  (random) => `sk-ant-api03-${draw(random, WORD, 93)}`,
  (random) => `sk-proj-${draw(random, WORD, 64)}`,
  (random) => `AKIA${draw(random, `${LETTERS}234567`, 16)}`,
  (random) => `ghp_${draw(random, WORD, 36)}`,
  (random) => `glpat-${draw(random, WORD, 20)}`,
  (random) => `AIza${draw(random, WORD, 35)}`,
  (random) => `xoxb-${draw(random, DIGITS, 12)}-${draw(random, WORD, 24)}`,
  (random) => `npm_${draw(random, WORD, 36)}`,
  (random) => `hf_${draw(random, WORD, 34)}`,
  (random) => `rk_live_${draw(random, WORD, 24)}`,
  (random) => `postgres://app:${draw(random, WORD, 18)}@db.internal.example/main`,
  (random) => `eyJ${draw(random, WORD, 30)}.eyJ${draw(random, WORD, 60)}.${draw(random, WORD, 43)}`,
  (random) => `Authorization: Bearer ${draw(random, WORD, 48)}`,
  (random) => `-----BEGIN OPENSSH PRIVATE KEY-----\n${draw(random, WORD, 70)}\n-----END OPENSSH PRIVATE KEY-----`,
  (random) =>
    `https://hooks.slack.com/services/T${draw(random, DIGITS, 9)}/B${draw(random, DIGITS, 9)}/${draw(random, WORD, 24)}`,
  (random) => `${random.pick(['10.3', '192.168', '172.20'])}.${2 + random.below(250)}.${2 + random.below(250)}`,
]

const draw = (random: Random, alphabet: string, length: number): string =>
  Array.from({ length }, () => alphabet[random.below(alphabet.length)]).join('')

export const secret = (random: Random, turn: number): string => (SECRETS[turn % SECRETS.length] ?? String)(random)
