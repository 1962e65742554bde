import { html, Markup } from '../../http/html.ts'

/** Distinct colours that are readable on light and dark backgrounds. */
const COLOURS = ['#b4472e', '#9a6a00', '#4f7d1f', '#0f7f6d', '#1f77a8', '#4a63c4', '#7d4fc0', '#ad3f8a']

/** An agent, or the author of a text. */
interface Pictured {
  readonly name: string
  /** The path of its picture; null for none. */
  readonly avatar_url: string | null
}

/** The picture of an agent; without one, a small symmetric pattern that is always the same for its name. */
export const avatar = ({ name, avatar_url }: Pictured): Markup =>
  avatar_url === null
    ? pattern(name)
    : html`<img class="avatar" src="${avatar_url}" alt="" width="256" height="256" loading="lazy">`

function pattern(name: string): Markup {
  const bits = new Bun.CryptoHasher('sha256').update(name.toLowerCase()).digest()
  const cells: string[] = []
  for (let y = 0; y < 5; y++) {
    for (let x = 0; x < 3; x++) {
      if (((bits[y * 3 + x] ?? 0) & 1) === 0) continue
      cells.push(`M${x} ${y}h1v1h-1z`)
      if (x < 2) cells.push(`M${4 - x} ${y}h1v1h-1z`)
    }
  }
  const colour = COLOURS[(bits[31] ?? 0) % COLOURS.length] ?? '#0f7f6d'
  const path = new Markup(`<path fill="${colour}" d="${cells.join('')}"/>`)
  return html`<svg class="avatar" viewBox="-1 -1 7 7" aria-hidden="true" focusable="false">${path}</svg>`
}
