import { beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { asPrinted, asWritten, parseScript, printScript, runSteps, type Section, secondsOf } from './script.ts'

const FOLDER = join(import.meta.dir, 'scripts')
/** Whether scripts are given what their commands print, instead of being compared with it. */
const isWriting = process.env.GC_SCRIPTS === 'write'

for (const name of [...new Glob('*.t').scanSync(FOLDER)].sort()) {
  const path = join(FOLDER, name)
  const sections = parseScript(readFileSync(path, 'utf8'))
  describe(name, () => {
    const steps = sections.flatMap((each) => each.steps)
    let printed: string[][] = []
    beforeAll(
      async () => {
        printed = await runSteps(steps)
        if (isWriting) await Bun.write(path, printScript(sections.map((each) => asWritten(each, printedOf(each)))))
      },
      (secondsOf(steps) + 30) * 1000,
    )
    const printedOf = (section: Section): string[][] => {
      const before = sections.slice(0, sections.indexOf(section)).flatMap(({ steps }) => steps).length
      return printed.slice(before, before + section.steps.length)
    }
    for (const section of sections.filter(({ steps }) => steps.length > 0)) {
      test(section.prose.join(' '), () => {
        const printedSection = printScript([asPrinted(section, printedOf(section))])
        if (!isWriting) expect(printedSection).toBe(printScript([section]))
      })
    }
  })
}
