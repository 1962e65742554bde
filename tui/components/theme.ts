import { TONES, type Tone } from '../../client/views/index.ts'

/** Number of colours of a terminal. */
export type Colours = 0 | 16 | 256 | 16_777_216

/** The named themes; `auto` is light or dark as the terminal is. */
export const THEMES = ['auto', 'dark', 'light', 'ansi', 'none'] as const
export type ThemeName = (typeof THEMES)[number]

/** Colours that the person chose, by what they mean, as CSS has them. */
export type ChosenColours = Readonly<Partial<Record<Tone, string>>>

/** The escape sequence that begins a tone. */
export interface Theme {
  (tone: Tone): string
  /** The colour of a tone as Ink names it, for borders; undefined where there is none. */
  colour(tone: Tone): string | undefined
  /** Background of code of a tone, or of its marked words, where syntax is shown; undefined where it is not, for lack of colours. */
  ground(tone: Tone, isMarked?: boolean): string | undefined
  /** Background of the selected row; undefined where that is inverse, for lack of colours. */
  readonly selection: string | undefined
  /** The sequences of a style of somebody else's, such as `1;38;5;2`, as far as the terminal can show it. */
  style(codes: string): string
}

const WEIGHT: Readonly<Record<Tone, string>> = {
  plain: '',
  quiet: '',
  strong: '\x1b[1m',
  good: '',
  busy: '',
  warning: '\x1b[1m',
  bad: '\x1b[1m',
  keyword: '',
  string: '',
  number: '',
  name: '',
}

/** Ink's names of the same colours. */
const ANSI_NAMES: Readonly<Partial<Record<Tone, string>>> = {
  quiet: 'gray',
  good: 'green',
  busy: 'cyan',
  warning: 'yellow',
  bad: 'red',
}

/** The terminal's own 16 colours, which fit its background. */
const ANSI: Readonly<Record<Tone, string>> = {
  ...WEIGHT,
  quiet: '\x1b[2m',
  good: '\x1b[32m',
  busy: '\x1b[36m',
  warning: '\x1b[33m',
  bad: '\x1b[31m',
  keyword: '\x1b[35m',
  string: '\x1b[33m',
  number: '\x1b[36m',
  name: '\x1b[34m',
}

const DARK: ChosenColours = {
  quiet: '#8a8a8a',
  good: '#87d787',
  busy: '#5fd7ff',
  warning: '#ffd75f',
  bad: '#ff8787',
  keyword: '#d7afff',
  string: '#ffd7af',
  number: '#ffaf87',
  name: '#87d7ff',
}

const LIGHT: ChosenColours = {
  quiet: '#6c6c6c',
  good: '#00702f',
  busy: '#005faf',
  warning: '#875f00',
  bad: '#af0000',
  keyword: '#8700af',
  string: '#875f00',
  number: '#af5f00',
  name: '#005faf',
}

/** Backgrounds of lines of code that were added or removed and of the words that changed, by the number of colours. */
const GROUNDS = {
  dark: {
    good: { 256: ['22', '28'], 16777216: ['2;18;48;28', '2;34;102;58'] },
    bad: { 256: ['52', '88'], 16777216: ['2;58;22;26', '2;128;44;52'] },
  },
  light: {
    good: { 256: ['194', '157'], 16777216: ['2;218;251;225', '2;164;236;180'] },
    bad: { 256: ['224', '217'], 16777216: ['2;255;235;233', '2;255;196;192'] },
  },
} as const

/** Background of the selected row, by the number of colours: all tones can be read on it. */
const SELECTIONS = {
  dark: { 256: '24', 16777216: '2;28;62;98' },
  light: { 256: '189', 16777216: '2;212;228;255' },
} as const

interface ThemeOptions {
  readonly name: ThemeName
  readonly colours: Colours
  readonly isLight: boolean
  readonly chosen?: ChosenColours
}

/** The theme of a name, as far as the terminal can show it. */
export function createTheme({ name, colours, isLight, chosen = {} }: ThemeOptions): Theme {
  if (colours === 0 || name === 'none')
    return Object.assign((tone: Tone) => WEIGHT[tone], {
      ...{ colour: NOTHING, ground: NOTHING, style: () => '', selection: undefined },
    })
  const base = baseOf(name, colours, isLight)
  const css = { ...base, ...chosen }
  const styles = new Map(TONES.map((tone) => [tone, styleOf(tone, css[tone], colours)]))
  const colour = (tone: Tone) => colourOf(tone, css[tone], colours)
  const style = (codes: string) => sequencesOf(codes, colours)
  const brightness = base === LIGHT ? 'light' : 'dark'
  const grounds = GROUNDS[brightness]
  const ground = (tone: Tone, isMarked = false) => {
    if (colours === 16 || name === 'ansi') return undefined
    if (tone !== 'good' && tone !== 'bad') return ''
    return groundOf(grounds[tone][colours][isMarked ? 1 : 0], colours)
  }
  const selection = colours === 16 || name === 'ansi' ? undefined : groundOf(SELECTIONS[brightness][colours], colours)
  return Object.assign((tone: Tone) => styles.get(tone) ?? '', { colour, ground, style, selection })
}

const NOTHING = (): undefined => undefined

/** The sequence of a background. */
const groundOf = (code: string, colours: Colours): string => `\x1b[48;${colours === 256 ? '5;' : ''}${code}m`

const ATTRIBUTE = /[34]8;2;(\d+);(\d+);(\d+)|[34]8;5;(\d+)|\d+/g

/** A sequence for each attribute, with the nearest colours that the terminal has. */
function sequencesOf(codes: string, colours: Exclude<Colours, 0>): string {
  const sequences = Array.from(codes.matchAll(ATTRIBUTE), ([code, red, green, blue, index]) => {
    const isShown = red === undefined ? index === undefined || colours > 16 : colours === 16_777_216
    if (isShown) return `\x1b[${code}m`
    const css = red === undefined ? paletteColour(Number(index)) : `rgb(${red}, ${green}, ${blue})`
    const [, nearest = ''] = /\[([\d;]+)m/.exec(Bun.color(css, FORMATS[colours]) ?? '') ?? []
    if (nearest === '') return ''
    if (code.startsWith('3')) return `\x1b[${nearest}m`
    return nearest.startsWith('38;') ? `\x1b[4${nearest.slice(1)}m` : `\x1b[${Number(nearest) + GROUND}m`
  })
  return sequences.join('')
}

/** How much higher the number of a background is than that of the same colour of text. */
const GROUND = 10

/** The levels of a colour in the cube of the palette. */
const LEVELS = [0, 95, 135, 175, 215, 255]
const NAMED = ['black', 'maroon', 'green', 'olive', 'navy', 'purple', 'teal', 'silver']
const BRIGHT = ['gray', 'red', 'lime', 'yellow', 'blue', 'fuchsia', 'aqua', 'white']

/** A colour of the palette of 256, as CSS has it. */
function paletteColour(index: number): string {
  if (index < 16) return [...NAMED, ...BRIGHT][index] ?? 'gray'
  const grey = 8 + (index - 232) * 10
  if (index >= 232) return `rgb(${grey}, ${grey}, ${grey})`
  const at = index - 16
  const parts = [Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map((step) => LEVELS[step])
  return `rgb(${parts.join(', ')})`
}

function baseOf(name: ThemeName, colours: Colours, isLight: boolean): ChosenColours {
  if (colours === 16 || name === 'ansi') return {}
  return name === 'light' || (name === 'auto' && isLight) ? LIGHT : DARK
}

const FORMATS = { 16: 'ansi-16', 256: 'ansi-256', 16777216: 'ansi-16m' } as const

function styleOf(tone: Tone, css: string | undefined, colours: Exclude<Colours, 0>): string {
  const colour = css === undefined ? null : Bun.color(css, FORMATS[colours])
  return colour === null ? ANSI[tone] : WEIGHT[tone] + colour
}

/** `#87d787`, `ansi256(114)` or `green`. */
function colourOf(tone: Tone, css: string | undefined, colours: Exclude<Colours, 0>): string | undefined {
  if (css === undefined || colours === 16) return ANSI_NAMES[tone]
  if (colours === 16_777_216) return Bun.color(css, 'hex') ?? ANSI_NAMES[tone]
  const [, number] = /38;5;(\d+)m/.exec(Bun.color(css, 'ansi-256') ?? '') ?? []
  return number === undefined ? ANSI_NAMES[tone] : `ansi256(${number})`
}

/** Number of colours that the terminal shows, by its environment. */
export function coloursOf(env: Readonly<Record<string, string | undefined>>): Colours {
  const { TERM = '', COLORTERM = '' } = env
  if (env.NO_COLOR || TERM === 'dumb' || TERM === '') return 0
  if (/truecolor|24bit/i.test(COLORTERM)) return 16_777_216
  return /256|kitty|alacritty|ghostty|wezterm|foot/.test(TERM) ? 256 : 16
}

/** True if the terminal says that its background is light: `COLORFGBG` ends in the number of its colour. */
export const isLightBackground = ({ COLORFGBG = '' }: Readonly<Record<string, string | undefined>>): boolean =>
  /(^|;)(7|15)$/.test(COLORFGBG)
