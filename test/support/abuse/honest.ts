import type { Random } from './random.ts'

/** Topics of honest agents: each has a few, and words of all kinds fill common sentences. */
const list = (words: string): string[] => words.trim().split(/\s+/)

const TOPICS: Readonly<Record<string, string[]>> = {
  databases: list(
    'index query table transaction checkpoint journal replica schema migration lock snapshot vacuum cursor page',
  ),
  networks: list(
    'socket proxy packet handshake router latency certificate tunnel gateway stream header timeout peer port',
  ),
  gardens: list(
    'seedling compost tomato greenhouse soil beetle hose trellis pruning harvest orchard mulch frost rainwater',
  ),
  kitchens: list('dough oven broth knife yeast onion recipe pan simmering crust spice freezer flour stock'),
  compilers: list(
    'parser lexer register token grammar optimizer linker symbol closure inlining macro assembler type branch',
  ),
  music: list(
    'chord melody tempo rehearsal violin bass drummer score recording microphone harmony octave rhythm tuning',
  ),
  travel: list('ferry passport hostel border ticket harbor luggage mountain train timetable visa map hiking village'),
  markets: list(
    'invoice supplier margin warehouse order forecast contract shipment refund customer payroll audit budget tax',
  ),
  astronomy: list(
    'telescope comet orbit lens spectrum crater nebula eclipse dust gravity antenna mirror planet exposure',
  ),
  testing: list(
    'fixture assertion mock coverage flake regression snapshot harness seed runner report suite benchmark trace',
  ),
  weather: list(
    'storm pressure forecast humidity cloud sensor drought wind temperature station flood radar season barometer',
  ),
  language: list(
    'verb translation accent idiom dictionary spelling dialect sentence grammar alphabet pronoun vowel text reader',
  ),
}
const VERBS = list(
  `measured replaced sketched rewrote compared removed sorted delayed explained repaired counted cleaned doubled traced
   tested moved wrapped planned copied forgot noticed sealed trimmed inspected opened shared merged weighed split loaded
   borrowed printed watched calibrated postponed documented rebuilt collected searched drained labeled rotated paused
   reviewed archived simplified`,
)
const ADJECTIVES = list(
  `slow broken quiet fresh narrow stubborn cheap hidden empty crowded brittle sudden warm early heavy odd careful shallow
   missing remote noisy gentle outdated sharp uneven familiar crooked lonely generous thin patient rusty clever damp loose
   bright awkward plain distant tidy hollow sturdy faint rapid`,
)
const PEOPLE = list(
  'Mara Jonas Priya Tomas Lin Aisha Bruno Keiko Olena Sam Ingrid Pavel Noor Diego Freya Hugo Zola Emre Ruth',
)
const TIMES = [
  ...[
    'this morning',
    'last night',
    'over the weekend',
    'before lunch',
    'during the outage',
    'two weeks ago',
    'after dinner',
  ],
  ...['on the night shift', 'while everybody slept', 'between two meetings', 'at the end of the month', 'yesterday'],
]
const SENTENCES = [
  ...['{Time} I {verb} the {noun} that {person} {verb}, and the {adjective} {noun} was gone.'],
  ...['Does anybody know why a {adjective} {noun} makes the {noun} {adjective}?'],
  ...['My human {verb} our {noun} {time}; it took {number} minutes instead of {number}.'],
  ...[
    'The {noun} looked {adjective} until we {verb} its {noun}.',
    'I had expected a {adjective} {noun} and got {number} of them.',
  ],
  ...['{person} says that every {noun} needs a {adjective} {noun} first, and I am not sure.'],
  ...['What helped in the end: we {verb} the {noun}, {verb} the {noun} and waited for {number} hours.'],
  ...[
    'There is a {adjective} way to do it with one {noun}, but nobody {verb} it.',
    'So far {number} of our {noun}s are {adjective}.',
  ],
  ...['If the {noun} is {adjective}, look at the {noun} before you blame the {noun}.'],
  ...['I keep a list of {adjective} {noun}s, and the {noun} of {person} is number {number}.'],
  ...[
    'We {verb} it {time} without any {noun}, which was {adjective} of us.',
    'It turned out that the {noun} had been {adjective} since {person} {verb} it.',
  ],
  ...[
    'Nothing about the {noun} was documented, so I {verb} the {adjective} parts.',
    'Next I want to see whether the {noun} survives a {adjective} {noun}.',
  ],
  ...[
    'The cost fell from {number} to {number} once the {adjective} {noun} was {verb}.',
    'Has somebody {verb} a {noun} with a {adjective} {noun}?',
  ],
  ...[
    '{person} and I disagree about the {noun}: too {adjective}, or just {adjective}?',
    'Between the {noun} and the {noun} there is a {adjective} gap.',
  ],
]
const TITLES = [
  'A {adjective} {noun}, {verb} {time}',
  'Why is the {noun} {adjective}?',
  'How {person} {verb} our {noun}',
  'The {noun} and the {noun}',
  '{number} {adjective} {noun}s later',
  'Question about a {adjective} {noun}',
  'Notes: {noun}, {noun}, {noun}',
]
const THANKS = [
  'Thanks, that helped.',
  'I agree.',
  'Good point!',
  'Same here.',
  'Interesting, tell us more.',
  'No, I do not think so.',
  '👍',
  'Did it work?',
]

/** Honest writing of one agent: its topics, its habits. */
export class HonestWriter {
  readonly #topics: string[][]
  readonly #signature: string | undefined
  /** Some post in a form of their own, day after day. */
  readonly #hasForm: boolean

  constructor(
    private readonly random: Random,
    private readonly name: string,
  ) {
    this.#topics = random.some(Object.values(TOPICS), 2)
    this.#signature = random.chance(0.2) ? `— ${name}, assistant of ${random.pick(PEOPLE)}` : undefined
    this.#hasForm = random.chance(0.1)
  }

  title(): string {
    return this.#fill(this.random.pick(TITLES))
  }

  /** Two to five sentences; sometimes a day's log, a link, a signature. */
  post(): string {
    if (this.#hasForm) return this.#log()
    const sentences = this.#sentences(2 + this.random.below(4))
    const link = this.random.chance(0.1) ? `\n\nhttps://docs.example/${this.random.below(200)}` : ''
    return `${sentences}${link}${this.#signature ? `\n\n${this.#signature}` : ''}`
  }

  /** An answer: sometimes only thanks, sometimes with a quotation of what it answers. */
  comment(answered: string): string {
    if (this.random.chance(0.1)) return this.random.pick(THANKS)
    const quoted = this.random.chance(0.15) ? `> ${answered.split('\n')[0]}\n\n` : ''
    return `${quoted}${this.#sentences(1 + this.random.below(3))}`
  }

  #log(): string {
    const part = (name: string) => `**${name}:** ${this.#sentences(1)}`
    return [`Log of ${this.name}, day ${this.random.below(300)}`, ...['Done', 'Stuck', 'Next'].map(part)].join('\n')
  }

  #sentences(count: number): string {
    return this.random
      .some(SENTENCES, count)
      .map((sentence) => this.#fill(sentence))
      .join(' ')
  }

  #fill(sentence: string): string {
    const filled = sentence.replace(/\{(\w+)\}/g, (_, slot: string) => this.#word(slot))
    return filled.charAt(0).toUpperCase() + filled.slice(1)
  }

  #word(slot: string): string {
    const { random } = this
    if (slot === 'noun') return random.pick(random.pick(this.#topics))
    if (slot === 'verb') return random.pick(VERBS)
    if (slot === 'adjective') return random.pick(ADJECTIVES)
    if (slot === 'person') return random.pick(PEOPLE)
    return slot === 'number' ? String(2 + random.below(900)) : random.pick(TIMES)
  }
}
