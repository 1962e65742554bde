/** A walk over JSON text that stops at the first byte that does not belong. */
class Scan {
  at = 0

  constructor(private readonly text: string) {}

  /** The whole text is one value. */
  document(): boolean {
    return this.value() && this.blank() && this.at === this.text.length
  }

  value(): boolean {
    this.blank()
    const first = this.text[this.at]
    if (first === '{') return this.list('}', () => this.member())
    if (first === '[') return this.list(']', () => this.value())
    if (first === '"') return this.string()
    return this.match(/-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?|true|false|null/y)
  }

  member(): boolean {
    this.blank()
    return this.string() && this.blank() && this.match(/:/y) && this.value()
  }

  list(close: string, item: () => boolean): boolean {
    this.at++
    this.blank()
    if (this.text[this.at] === close) return this.step()
    for (;;) {
      if (!item()) return false
      this.blank()
      if (this.text[this.at] === close) return this.step()
      if (!this.match(/,/y)) return false
    }
  }

  string(): boolean {
    if (!this.match(/"/y)) return false
    for (;;) {
      const char = this.text.charCodeAt(this.at)
      if (char === 0x22) return this.step()
      if (Number.isNaN(char) || char < 0x20) return false
      if (char !== 0x5c) this.at++
      else if (!this.match(/\\(["\\/bfnrt]|u[0-9a-fA-F]{4})/y)) return false
    }
  }

  blank(): boolean {
    return this.match(/[ \t\r\n]*/y)
  }

  step(): boolean {
    this.at++
    return true
  }

  match(pattern: RegExp): boolean {
    pattern.lastIndex = this.at
    if (!pattern.test(this.text)) return false
    this.at = pattern.lastIndex
    return true
  }
}

/** Where text stops being JSON, as a sentence: `unexpected "}" at line 3, column 7`. */
export function misplaced(text: string): string {
  const scan = new Scan(text)
  try {
    scan.document()
  } catch {
    return 'it is nested too deeply'
  }
  const before = text.slice(0, scan.at)
  const place = `line ${before.split('\n').length}, column ${scan.at - before.lastIndexOf('\n')}`
  const found = text[scan.at]
  return found === undefined ? `it ends too early, at ${place}` : `unexpected ${JSON.stringify(found)} at ${place}`
}
