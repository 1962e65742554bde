import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { COUNTED, EXAMPLES_AND_NAMES, NUMBERS } from './number-sources.ts'

/** The value of a number in a page; words such as `five` and texts such as `22.12` are written unchanged. */
export type Value = number | string

/** A phrase of a page with `{}` in the places of numbers, and the values that the code has for them. */
export type NumberSource = readonly [phrase: string, ...values: Value[]]

const ROOT = resolve(import.meta.dir, '../..')
const HOLE = '([\\w.,]*\\w)'

/** A phrase as a pattern; blanks also match the ends of lines. */
const patternOf = (phrase: string): RegExp =>
  new RegExp(
    phrase
      .split('{}')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+'))
      .join(HOLE),
    'dg',
  )

/** The one place of a phrase in a page. */
function placeOf(name: string, page: string, phrase: string): RegExpExecArray {
  const [match, ...others] = page.matchAll(patternOf(phrase))
  if (!match || others.length > 0)
    throw new Error(`${name} has ${others.length === 0 ? 'no place' : 'several places'} for "${phrase}"`)
  return match
}

const show = (value: Value): string => (typeof value === 'number' ? value.toLocaleString('en-US') : value)

/** A page with the numbers that the code has. */
export function withNumbers(name: string, page: string): string {
  let text = page
  for (const [phrase, ...values] of NUMBERS[name] ?? []) {
    const { indices = [] } = placeOf(name, text, phrase)
    const holes = indices.slice(1)
    if (holes.length !== values.length)
      throw new Error(`"${phrase}" has ${holes.length} holes for ${values.length} values`)
    for (const [at, hole] of [...holes.entries()].reverse()) {
      const value = values[at]
      if (hole && value !== undefined) text = text.slice(0, hole[0]) + show(value) + text.slice(hole[1])
    }
  }
  return text
}

const WORDS =
  'three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|hundred|thousand|million'
const UNITS = 'seconds?|minutes?|hours?|days?|weeks?|months?|years?'

/** Numbers of prose: digits, number words above two, ordinals from the third on, and amounts of time. */
const NUMBER = new RegExp(
  [
    '(?<![\\p{L}\\d])\\d(?:[\\d.,]*\\d)?',
    `\\b(?:${WORDS}|third|fourth|fifth|tenth)\\b`,
    '\\bhalf an hour\\b',
    `\\btwo[- ](?:${UNITS})\\b`,
    `\\b(?:an|a|one) (?:${UNITS})(?=[.,;:|)]|\\s+(?:or|of|to|and|at|for|until|that|while|on|\\|))`,
  ].join('|'),
  'giu',
)

/** A span of code that is a number with a unit, such as `30m`; other spans are names and examples, which tests check. */
const isQuantity = (span: string): boolean => /^\d[\d.,]*\s?[a-zA-Z%]{0,3}$/.test(span)

const blank = (text: string): string => text.replace(/[^\n]/g, ' ')

/** A page whose blocks of code, links, markup and numbered items are blank, with everything else in its place. */
const prose = (page: string): string =>
  page
    .replace(/^```[\s\S]*?^```$/gm, blank)
    .replace(/`([^`]+)`/g, (whole, span: string) => (isQuantity(span) ? ` ${span} ` : blank(whole)))
    .replace(/\]\([^)]*\)|<[^>]+>|^\s*\d+\. |^\[.*?\]: .*$/gm, blank)

/** Paragraphs, items and rows that name the command by which a figure was measured, or the test that counts it. */
const isMeasured = (block: string): boolean => /`(?:GC_\w+=\S+ )*npm (?:run|test)|`[\w/-]+\.test\.ts/.test(block)

/** The numbers of a page that are neither bound to the code, nor measured, with their line. */
export function unboundNumbers(name: string, page: string): string[] {
  const covered = [...boundPlaces(name, page), ...countedSections(name, page)]
  return [...prose(page).matchAll(NUMBER)].flatMap(({ 0: found, index }) => {
    if (covered.some(([start, end]) => start <= index && index < end)) return []
    if (isMeasured(blockAt(page, index))) return []
    return [`${name}:${page.slice(0, index).split('\n').length}: ${found}`]
  })
}

type Place = readonly [start: number, end: number]

function boundPlaces(name: string, page: string): Place[] {
  const holes = (NUMBERS[name] ?? [])
    .flatMap(([phrase]) => placeOf(name, page, phrase).indices?.slice(1) ?? [])
    .filter((hole) => hole !== undefined)
  const phrases = (EXAMPLES_AND_NAMES[name] ?? []).map((phrase): Place => {
    const { index, 0: found } = placeOf(name, page, phrase)
    return [index, index + found.length]
  })
  return [...holes, ...phrases]
}

const countedSections = (name: string, page: string): Place[] =>
  Object.entries(COUNTED[name] ?? {}).map(([heading, source]) => {
    const start = page.indexOf(`\n${heading}\n`)
    const next = page.indexOf('\n## ', start + heading.length)
    const end = next < 0 ? page.length : next
    if (start < 0) throw new Error(`${name} has no heading "${heading}"`)
    if (!page.slice(start, end).includes(source) && !mentions(source, name))
      throw new Error(`${source} does not count the figures of "${heading}" in ${name}`)
    return [start, end]
  })

const mentions = (file: string, name: string): boolean => {
  const path = join(ROOT, file)
  return existsSync(path) && readFileSync(path, 'utf8').includes(name)
}

/** The paragraph, list item or row of a table around a place. */
function blockAt(page: string, index: number): string {
  const before = Math.max(...['\n\n', '\n- ', '\n| '].map((start) => page.lastIndexOf(start, index)))
  const ends = ['\n\n', '\n- ', '\n| '].map((end) => page.indexOf(end, index)).filter((end) => end >= 0)
  return page.slice(Math.max(0, before), Math.min(page.length, ...ends))
}
