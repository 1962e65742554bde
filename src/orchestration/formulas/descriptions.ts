import { basename } from 'node:path'
import type { Formula, Step } from './formula.ts'
import type { Asset, FormulaFiles } from './formula-files.ts'
import { openVariables } from './placeholders.ts'

/** Maximum size of a description that is copied from its file, in bytes. */
const MAX_DESCRIPTION = 4096

/**
 * A formula whose steps hold the texts of their description files. The files are named as written, since nothing has been
 * substituted yet: `{target}.md` is the name of a file. A step keeps the name of a file that does not exist.
 */
export function readDescriptions(formula: Formula, files: FormulaFiles): Formula {
  const mentions = new Set(formula.mentions)
  const read = (steps: readonly Step[]): Step[] =>
    steps.map((step) => {
      const asset = step.descriptionFile === undefined ? undefined : files.asset(step.place.file, step.descriptionFile)
      for (const name of openVariables(asset?.text ?? '')) mentions.add(name)
      return {
        ...step,
        ...(asset && { description: descriptionOf(asset, formula), descriptionFile: undefined }),
        ...(step.children.length > 0 && { children: read(step.children) }),
        ...(step.loop && { loop: { ...step.loop, body: read(step.loop.body) } }),
      }
    })
  return {
    ...{ ...formula, mentions },
    ...{ steps: read(formula.steps), template: read(formula.template) },
    advice: formula.advice.map((each) => ({ ...each, before: read(each.before), after: read(each.after) })),
  }
}

/** The text of a description file, or for a long one where to read it and the variables in it. */
function descriptionOf({ file, text }: Asset, { variables }: Formula): string {
  const bytes = Buffer.byteLength(text)
  if (bytes <= MAX_DESCRIPTION) return text
  const names = [...new Set([...variables.keys(), ...openVariables(text)])].filter(
    (name) => openVariables(`{{${name}}}`).length > 0,
  )
  return [
    `Read ${file} (${basename(file)}, ${bytes} bytes): it says what to do in this step.`,
    ...(names.length > 0 ? ['', 'In it these variables stand for:', ''] : []),
    ...names.sort().map((name) => `${name}="{{${name}}}"`),
  ].join('\n')
}
