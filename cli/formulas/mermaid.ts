import type { CompiledFormula } from '../../src/orchestration/formulas/schema.ts'

/** Diagrams give no meaning to these where text stands between quotes. */
const escapeText = (text: string): string =>
  text.replace(/[#"<>\\\p{Cc}\p{Cf}]/gu, (character) => `#${character.codePointAt(0)};`)

/** A compiled formula as the lines of a Mermaid diagram. */
export function mermaid({ steps, deps }: CompiledFormula): string[] {
  const nodes = new Map(steps.map(({ id }, index) => [id, `n${index}`]))
  const drawn = steps.filter(({ metadata }) => metadata?.['gc.kind'] !== 'spec')
  const lines = drawn.map(({ id, title, metadata }) => {
    const kind = metadata?.['gc.kind']
    const text = escapeText(`${id}: ${title}`)
    return `  ${nodes.get(id)}${kind === undefined ? `["${text}"]` : `(["${text} · ${escapeText(kind)}"])`}`
  })
  const edges = deps.flatMap(({ step_id, depends_on_id, type }) => {
    const [from, to] = [nodes.get(depends_on_id), nodes.get(step_id)]
    if (from === undefined || to === undefined) return []
    return [`  ${from} ${type === 'parent-child' ? '-.-' : type === 'waits-for' ? '-.->' : '-->'} ${to}`]
  })
  return ['flowchart TD', ...lines, ...edges]
}
