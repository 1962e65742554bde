import { SecretValues } from '../../core/text/index.ts'
import { toPlainValue } from '../../core/toml/index.ts'
import type { FileSnapshot } from './file-snapshot.ts'

/**
 * The secrets in all TOML files that a configuration is made of: the city's, its fragments, its packs. Those of earlier
 * files stay known, since output still holds them.
 */
export class DeclaredSecrets {
  readonly #values = new SecretValues()
  #files: FileSnapshot | undefined

  constructor(private readonly current: () => FileSnapshot) {}

  get isEmpty(): boolean {
    this.remember()
    return this.#values.isEmpty
  }

  /** A text, or JSON, with every secret replaced by the marker. */
  strike(text: string): string {
    this.remember()
    return this.#values.strike(text)
  }

  /** A declaration, as JSON has it, as programs are shown it. */
  blank<Value>(value: Value): Value {
    this.remember()
    return this.#values.blank(value)
  }

  /** Reads the files, unless they were read: before others take their place. */
  remember(): void {
    const files = this.current()
    if (files === this.#files) return
    this.#files = files
    for (const root of files.roots) {
      for (const file of root.files) {
        const parsed = file.endsWith('.toml') ? root.toml(file) : undefined
        if (parsed && 'table' in parsed) this.#values.add(toPlainValue(parsed.table))
      }
    }
  }
}
