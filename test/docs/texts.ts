import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Glob } from 'bun'
import type { Command } from 'commander'
import { createBd } from '../../cli/bd/program.ts'
import { createProgram } from '../../cli/program.ts'
import { recorder } from '../cli/shell.ts'
import { type Sentence, sentencesOf } from './prose.ts'

const ROOT = resolve(import.meta.dir, '../..')

/** A text outside of the documents, with the place where it is written. */
export interface PlacedText {
  readonly place: string
  readonly text: string
}

/** Descriptions of commands, arguments and options of gc and bd, and the texts below them. */
export async function helpTexts(): Promise<PlacedText[]> {
  const { io } = recorder()
  return [...textsOf(await createProgram(io), 'gc'), ...textsOf(await createBd(io), 'bd')]
}

function textsOf(command: Command, place: string): PlacedText[] {
  const help = command.createHelp()
  let shown = ''
  command.configureOutput({ writeOut: (text) => (shown += text) }).outputHelp()
  const texts = [
    command.description(),
    ...[...help.visibleOptions(command), ...command.registeredArguments].map(({ description }) => description),
    ...shown.replace(command.helpInformation(), '').split('\n'),
  ]
  const inner = help.visibleCommands(command).flatMap((each) => textsOf(each, `${place} ${each.name()}`))
  return [...texts.filter((text) => text.trim() !== '').map((text) => ({ place, text })), ...inner]
}

/** Summaries and descriptions of an OpenAPI document. */
export const apiTexts = (value: unknown, place = ''): PlacedText[] =>
  Object.entries(Object(value)).flatMap(([key, inner]) => {
    if ((key === 'summary' || key === 'description') && typeof inner === 'string') return [{ place, text: inner }]
    return typeof inner === 'object' ? apiTexts(inner, `${place}/${key}`) : []
  })

/** Doc comments of the sources, the command line, the dashboard, the scripts and the tests. */
export function docComments(): PlacedText[] {
  const folders = ['src', 'client', 'cli', 'tui', 'scripts', 'test']
  const paths = folders.flatMap((folder) => [...new Glob(`${folder}/**/*.{ts,tsx}`).scanSync(ROOT)])
  const own = paths.filter((path) => !path.includes('node_modules'))
  return own.flatMap((path) =>
    commentsOf(readFileSync(join(ROOT, path), 'utf8')).map((text) => ({ place: path, text })),
  )
}

/** The doc comments of a source file, each on one line. */
export const commentsOf = (source: string): string[] =>
  [...source.matchAll(/^\s*\/\*\*\s([\s\S]*?)\*\//gm)].map(([, text = '']) =>
    text
      .replace(/\s*\n\s*\*(?: |$)?/gm, ' ')
      .replace(/^\s*\*\s*/, '')
      .trim(),
  )

/** Titles of tests and of their groups, as the first word of a sentence. */
export const testTitles = (): PlacedText[] =>
  [...new Glob('test/**/*.test.ts').scanSync(ROOT)]
    .filter((path) => !path.includes('node_modules'))
    .flatMap((path) => {
      const source = readFileSync(join(ROOT, path), 'utf8')
      const titles = [...source.matchAll(/\b(?:test|describe)(?:\.\w+(?:\([^)]*\))?)?\(\s*(['`])(.+?)\1,/g)]
      return (
        titles
          .map(([, , title = '']) => title.charAt(0).toUpperCase() + title.slice(1))
          // Titles in a group continue its sentence: "a claim" "of a closed bead is lost".
          .filter((title) => !/^(?:That|Which|Of) /.test(title))
          .map((text) => ({ place: path, text }))
      )
    })

/** Openings of a text that name nothing: a clause in the place of a noun. Questions have a main clause. */
const HEADLESS =
  /^(?!.*\?$)(?:What|Whatever|Who|Whom|Whose|Whoever|How|Where|Wherever|When|Why|Whether|Which|That|Of)\b/

/** The comments that open with a headless clause. */
export const headless = (texts: readonly PlacedText[]): PlacedText[] => texts.filter(({ text }) => HEADLESS.test(text))

export const sentencesIn = (texts: readonly PlacedText[]): Sentence[] => texts.flatMap(({ text }) => sentencesOf(text))
