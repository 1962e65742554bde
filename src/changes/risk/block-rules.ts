import type { FileKinds } from './file-kinds.ts'
import type { Reason } from './line-rules.ts'

/** Lines that a change replaces by others, and that stand together. */
export interface Block {
  readonly removed: readonly string[]
  readonly added: readonly string[]
}

const ASSERTION =
  /\b(?:expect|assert\w*|should|must|require\.\w+|ensure|verify)\b\s*[.(!]|\bassert\b|\bt\.(?:Error|Fatal)f?\(|\.should\b|\bself\.assert\w+|\bpytest\.raises|\b(?:XCT|ASSERT_|EXPECT_)\w+\(/
const WEAK =
  /\btoBe(?:Defined|Truthy|Falsy)\b|\.not\.to(?:Throw|BeNull|BeUndefined)\b|\btoHaveBeenCalled\(\)|\bexpect\.any(?:thing)?\(|\bassert(?:True)?\s*\(?\s*True\b|\bis not None\b|\bassertIsNotNone\b|\bNot(?:Nil|Null|Empty)\b|\bexpect\(true\)|\btoBeGreaterThan(?:OrEqual)?\(0\)|\bassert!\(true|\bNoError\b|\bexist\b/
const TEST_START =
  /^\s*(?:(?:test|it|describe|scenario|specify)(?:\.\w+)*\s*\(|def test_|async def test_|func Test\w|#\[(?:tokio::)?test\]|@Test\b|@ParameterizedTest\b|\[(?:Fact|Test|Theory)\])/
const PERMISSION =
  /\b(?:40[13]|Unauthorized|Forbidden|AccessDenied|PermissionDenied)\b|\b(?:require|ensure|check|verify|assert|has|is|must|can)_?(?:Role|User|Auth\w*|Login|Logged\w*|Admin|Owner\w*|Permission\w*|Access|Scope|Token|Signature|Authenticated|Authorized|Allowed)\b|\b(?:authori[sz]e|authenticate|permission_required|login_required|PreAuthorize|before_action)\b|\bowner_?id\b|\bcsrf\b/i
const GUARD =
  /^\s*(?:if|unless|guard|elif|else if|\}\s*else if)\b|^\s*(?:return|raise|throw|panic!?)\b.*\b(?:unless|if)\b|^\s*(?:assert|ensure|check|require|validate)\w*\s*[(!]/
const RETHROW = /\b(?:throw|raise|reject\(|panic!?\(|return (?:.*, )?err\b|return Err\(|bail!)/
const EXCEPT = /\bcatch\b|\bexcept\b|\brescue\b/
const EMPTY =
  /\bcatch\s*(?:\([^)]*\))?\s*\{\s*\}|\.catch\(\(\w*\)\s*=>\s*(?:\{\s*\}|undefined|null)\)|^\s*except(?:\s+(?:Exception|BaseException))?\s*:|^\s*pass\s*$|\brescue\s*(?:=>\s*\w+)?\s*$|\bcontextlib\.suppress\(/
const LOCKING =
  /\.(?:r?lock|unlock|acquire|release|withLock|Lock|RLock)\b\s*\(|\bmutex\b|\bsynchronized\b|\btransaction\b|\bFOR UPDATE\b|\bBEGIN\b|\batomic(?:ally)?\b|\bwith \w*lock\b|\bLOCK TABLE\b/i
const BOUND =
  /\btime_?out\b|\bdeadline\b|\bAbortSignal\b|\brate_?limit\w*|\bmax[A-Z_]\w*|\bMAX_\w+|\bbackoff\b|\bcancel(?:lation)?_?token\b/i
const CONSTRAINT =
  /\bNOT NULL\b|\bCHECK\s*\(|\bUNIQUE\b|\bREFERENCES\b|\bFOREIGN KEY\b|\bCONSTRAINT\b|\bPRIMARY KEY\b|\bON DELETE\b/i
const SANITIZER =
  /\b(?:sanitize\w*|escape\w*|encodeURIComponent|htmlspecialchars|clean\w*|normali[sz]e\w*|validat\w+|parse(?:Int|Float)|strip_tags|quote\w*)\s*\(|"\.\."|'\.\.'|\bfilepath\.(?:Clean|Base|Rel)\b/i
const CONDITION =
  /^\s*(?:\}?\s*(?:else )?if|elif|elsif|unless|while|for|until|guard|case|when)\b|^\s*(?:return|const \w+ =|let \w+ =)\s.*(?:[<>]=?|[!=]==?|&&|\|\|)/
const THRESHOLD = /\b(?:threshold|coverage|fail[-_]?under|min\w*|lines|branches|functions|statements|max-warnings)\b/i

/** The reasons that lines give together with those that they replace. */
export function reasonsOfBlock(block: Block, kinds: FileKinds): Reason[] {
  if (kinds.isProse || kinds.isLock) return []
  if (kinds.isTest) return testReasons(block)
  const reasons = [...lossReasons(block), ...pairReasons(block, kinds)]
  if (
    kinds.isPipeline &&
    countOf(block.removed, /^\s*-?\s*(?:run|script|uses|name):|^\s*-\s+\S/) >
      countOf(block.added, /^\s*-?\s*(?:run|script|uses|name):|^\s*-\s+\S/)
  ) {
    reasons.push({ words: 'removes a step of the pipeline', weight: 70 })
  }
  return reasons
}

const countOf = (lines: readonly string[], pattern: RegExp): number => lines.filter((line) => pattern.test(line)).length
const loses = ({ removed, added }: Block, pattern: RegExp): boolean =>
  countOf(removed, pattern) > countOf(added, pattern)

function testReasons(block: Block): Reason[] {
  const { removed, added } = block
  const reasons: Reason[] = []
  if (loses(block, TEST_START)) reasons.push({ words: 'removes a test', weight: 95 })
  else if (loses(block, ASSERTION)) reasons.push({ words: 'removes an assertion', weight: 95 })
  if (countOf(added, WEAK) > countOf(removed, WEAK) && countOf(removed, ASSERTION) > 0) {
    reasons.push({ words: 'weakens an assertion', weight: 95 })
  } else if (pairsOf(block).some(([before, after]) => ASSERTION.test(before) && ASSERTION.test(after))) {
    reasons.push({ words: 'changes what a test expects', weight: 70 })
  }
  return reasons
}

/** Settings that keep attacks out. */
const PROTECTION =
  /\brunAsNonRoot\b|\breadOnlyRootFilesystem\b|\bContent-Security-Policy\b|\bhelmet\(|\bX-Frame-Options\b|\bStrict-Transport-Security\b|\bnoopener\b|\bno-new-privileges\b|^\s*USER\s+\w|\brateLimit\w*\(|\bthrottle\b/i

/** Protections that a block loses. */
const LOSSES: readonly (Reason & { pattern: RegExp })[] = [
  { words: 'removes a check of permissions', weight: 95, pattern: PERMISSION },
  { words: 'removes a protection', weight: 85, pattern: PROTECTION },
  { words: 'removes a lock or a transaction', weight: 75, pattern: LOCKING },
  { words: 'removes a constraint on stored data', weight: 80, pattern: CONSTRAINT },
  { words: 'removes a check of input', weight: 75, pattern: SANITIZER },
  { words: 'removes a timeout or a limit', weight: 65, pattern: BOUND },
  { words: 'removes a condition', weight: 55, pattern: GUARD },
]

function lossReasons(block: Block): Reason[] {
  const { removed, added } = block
  // Code that goes as a whole has lost nothing that is still needed.
  const isEdit = removed.length <= 12 || added.length > 0
  const lost = isEdit ? LOSSES.filter(({ pattern }) => loses(block, pattern)) : []
  const swallows =
    countOf(added, EMPTY) > countOf(removed, EMPTY) ||
    (added.some((line) => EXCEPT.test(line)) && loses(block, RETHROW))
  return [
    ...lost.map(({ words, weight }) => ({ words, weight })),
    ...(swallows ? [{ words: 'ignores an error', weight: 75 }] : []),
    ...(isEdit && !swallows && loses(block, RETHROW) ? [{ words: 'no longer reports an error', weight: 60 }] : []),
  ]
}

/** Maximum lines on each side that are paired: larger blocks were rewritten. */
const MAX_PAIRED = 30

/** Lines that took the place of similar ones. */
function pairsOf({ removed, added }: Block): [string, string][] {
  if (removed.length > MAX_PAIRED || added.length > MAX_PAIRED) return []
  const words = added.map(wordsOf)
  const used = new Set<number>()
  return removed.flatMap((before): [string, string][] => {
    const known = new Set(wordsOf(before))
    const at = words.findIndex((others, index) => !used.has(index) && likeness(known, others) >= 0.5)
    const after = added[at]
    if (after === undefined) return []
    used.add(at)
    return [[before, after]]
  })
}

const wordsOf = (line: string): string[] => line.match(/[\p{L}\p{N}_]+/gu) ?? []

/** The share of words that two lines have in common. */
const likeness = (known: ReadonlySet<string>, words: readonly string[]): number =>
  (2 * words.filter((word) => known.has(word)).length) / Math.max(1, known.size + words.length)

/** A line with each name replaced: two lines that differ in names only have the same shape. */
const shapeOf = (line: string): string =>
  line
    .trim()
    .replace(/(["'`])(?:(?!\1).)*\1/g, '""')
    .replace(/\b[A-Za-z_]\w*\b/g, (word) =>
      /^(?:not|and|or|in|is|true|false|null|None|True|False)$/.test(word) ? word : 'x',
    )

function pairReasons(block: Block, { isChecks, isManifest, isPipeline }: FileKinds): Reason[] {
  return pairsOf(block).flatMap(([before, after]): Reason[] => {
    if ((isChecks || isManifest || isPipeline) && THRESHOLD.test(before) && isLowered(before, after)) {
      return [{ words: 'lowers a threshold of a check', weight: 90 }]
    }
    if (/\bawait\s/.test(before) && before.replace(/\bawait\s+/, '').trim() === after.trim()) {
      return [{ words: 'no longer waits for a result', weight: 75 }]
    }
    return valueReasons(before, after)
  })
}

const FLAG = /\b(?:true|false|True|False)\b/g
const NUMBER = /\b\d[\d_.]*\b/g

/** The reasons that a line gives in which a condition or a value is another. */
function valueReasons(before: string, after: string): Reason[] {
  const [old, next] = [shapeOf(before), shapeOf(after)]
  if (old === next) return []
  if (old.replace(FLAG, '') === next.replace(FLAG, '')) return [{ words: 'turns something on or off', weight: 55 }]
  if (CONDITION.test(before) && CONDITION.test(after)) return [{ words: 'changes a condition', weight: 50 }]
  if (old.replace(NUMBER, '') !== next.replace(NUMBER, '')) return []
  return [
    BOUND.test(before)
      ? { words: 'changes a timeout or a limit', weight: 45 }
      : { words: 'changes a number', weight: 20 },
  ]
}

/** True if two lines differ in numbers, one of which became less. */
function isLowered(before: string, after: string): boolean {
  const numbers = (line: string) => (line.match(/\d+(?:\.\d+)?/g) ?? []).map(Number)
  const [old, next] = [numbers(before), numbers(after)]
  return old.length === next.length && old.some((number, at) => (next[at] ?? number) < number)
}
