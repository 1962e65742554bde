import { looksSecret, SECRET_FORMATS } from '../../core/text/index.ts'
import type { FileKinds } from './file-kinds.ts'

/** A reason to look at a file, and its weight from 0 to 100. */
export interface Reason {
  readonly words: string
  readonly weight: number
}

interface LineRule extends Reason {
  readonly pattern: RegExp
  /** The files that it concerns; all code when absent. */
  readonly in?: (kinds: FileKinds) => boolean
  /** True if it also holds in comments. */
  readonly inComments?: true
}

/** Added lines that deserve a look, whatever was there before. */
const ADDED: readonly LineRule[] = [
  {
    words: 'skips a test',
    weight: 95,
    pattern:
      /\b(?:test|it|describe|suite|context|scenario)(?:\.\w+)?\.(?:skip|skipIf|todo|failing|fixme)\b|\bx(?:it|test|describe|context)\s*\(|@(?:pytest\.mark\.(?:skip|skipif|xfail)|unittest\.(?:skip|expectedFailure)|Ignore\b|Disabled\b)|\bpytest\.skip\(|\bt\.Skip(?:f|Now)?\(|#\[ignore|\bself\.skipTest\(|^\s*(?:skip|pending)\b/,
    in: ({ isTest }) => isTest,
  },
  {
    words: 'runs only some of the tests',
    weight: 95,
    pattern: /\b(?:test|it|describe|suite|context)\.only\b|\bf(?:it|describe)\s*\(|\bfocus: true\b/,
    in: ({ isTest }) => isTest,
  },
  {
    words: 'repeats tests that fail',
    weight: 45,
    pattern: /\bretr(?:y|ies)\b\s*[:=(]\s*\d|@(?:flaky|RepeatedTest)\b|--reruns\b/i,
    in: ({ isTest, isChecks, isPipeline }) => isTest || isChecks || isPipeline,
  },
  {
    words: 'silences a check',
    weight: 75,
    pattern:
      /@ts-(?:ignore|nocheck|expect-error)|eslint-disable|biome-ignore|stylelint-disable|#\s*noqa|#\s*nosec|\/\/\s*nolint|#\s*type:\s*ignore|pylint:\s*disable|rubocop:disable|#!?\[allow\(|@SuppressWarnings|@Suppress\(|pragma:\s*no cover|(?:istanbul|c8|v8) ignore|NOLINT|phpcs:ignore|@phpstan-ignore|swiftlint:disable|noinspection|@ts-strict-ignore|\bmypy:\s*ignore|gitleaks:allow|trivy:ignore|--no-verify\b/,
    inComments: true,
  },
  {
    words: 'lets a failing step pass',
    weight: 90,
    pattern:
      /\bcontinue-on-error:\s*true|\ballow_failure:\s*true|\|\|\s*(?:true|:|exit 0)\b|\bset \+e\b|--(?:passWithNoTests|no-fail|exit-zero)\b|\bif:\s*false\b/,
    in: ({ isPipeline, isChecks, isManifest, isDeployment, isProse }) =>
      !isProse && (isPipeline || isChecks || isManifest || isDeployment),
  },
  {
    words: 'gives the pipeline more rights',
    weight: 85,
    pattern:
      /\bpull_request_target\b|\bpermissions:\s*write-all|:\s*write\s*$|\bself-hosted\b|\bpersist-credentials:\s*true/,
    in: ({ isPipeline }) => isPipeline,
  },
  {
    words: 'downloads a script and runs it',
    weight: 95,
    pattern:
      /\b(?:curl|wget)\b[^|;&]{0,200}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b|\b(?:ba|z)?sh\s+<\(\s*(?:curl|wget)|\biwr\b.{0,100}\|\s*iex\b/,
  },
  {
    words: 'evaluates code',
    weight: 85,
    pattern:
      /(?<![\w.])eval\s*\(|\bnew Function\s*\(|\bvm\.run(?:InNewContext|InThisContext)?\s*\(|\binstance_eval\b|\b__import__\s*\(/,
  },
  {
    words: 'builds a shell command from values',
    weight: 85,
    pattern:
      /\bshell\s*[:=]\s*true\b|(?<![\w.])(?:exec|execSync|system|popen|passthru|shell_exec)\s*\(\s*(?:f["']|`[^`]*\$\{|["'][^"']*["']\s*(?:\+|%|\.\s*\$)|["'][^"']*#\{)|\bos\.(?:system|popen)\s*\(|\b(?:ba)?sh["'],\s*["']-c\b/i,
  },
  {
    words: 'starts another program',
    weight: 45,
    pattern:
      /\bchild_process\b|(?<![\w.])(?:exec|execFile|spawn|fork)(?:Sync)?\s*\(|\bsubprocess\.\w+|\bexec\.Command\(|\bCommand::new\(|\bProcessBuilder\b|\bBun\.(?:spawn|\$)/,
    in: ({ isTest, isProse }) => !isTest && !isProse,
  },
  {
    words: 'builds SQL from values',
    weight: 85,
    pattern:
      /\b(?:select|insert into|update|delete from)\b[^`]{0,200}(?:\$\{|#\{)|f["'][^"']{0,20}\b(?:select|insert into|update|delete from)\b[^"']{0,200}\{|\b(?:select|insert into|update|delete from)\b[^"']{0,200}["']\s*(?:\+|%\s|\|\||\.format\()|Sprintf\(\s*["`](?:select|insert|update|delete)\b/i,
  },
  {
    words: 'deserializes data that can run code',
    weight: 85,
    pattern:
      /\b(?:c?pickle|dill|shelve|marshal)\.(?:loads?|open)\s*\(|\byaml\.(?:unsafe_)?load\s*\((?!.{0,80}Safe)|\bMarshal\.load\b|\bunserialize\s*\(|\bObjectInputStream\b|\bBinaryFormatter\b/,
  },
  {
    words: 'turns off certificate checks',
    weight: 95,
    pattern:
      /\brejectUnauthorized\s*:\s*false|\bNODE_TLS_REJECT_UNAUTHORIZED\b|\bverify\s*=\s*False\b|\bInsecureSkipVerify\s*:\s*true|danger_accept_invalid|\bVERIFY_NONE\b|SSL_VERIFY(?:PEER|HOST)\W{1,6}(?:0|false)|\bcurl\b.{0,80}\s(?:-k|--insecure)\b|\bstrict-ssl\s*=\s*false|\bsslVerify\s*=\s*false/,
  },
  {
    words: 'accepts a token without checking its signature',
    weight: 95,
    pattern:
      /\bParseUnverified\b|\balg(?:orithms?)?["']?\s*[:=]\s*\[?["']none["']|\bverify_signature["']?\s*[:=]\s*False|\bUnsafeAllowNoneSignatureType\b|\bjwt\.decode\([^)]{0,120}verify\s*=\s*False/i,
  },
  {
    words: 'weakens a protection in the browser',
    weight: 80,
    pattern:
      /\bhttp_?only["']?\s*[:=]\s*false|\bsecure["']?\s*[:=]\s*false|\bsame_?site["']?\s*[:=]\s*["']?none|\borigin["']?\s*[:=]\s*(?:["']\*["']|true\b)|access-control-allow-origin["']?\s*[:,]\s*["']\*|\bcsrf(?:_exempt|\W{0,3}(?:false|disable))|\bunsafe-(?:inline|eval)\b|skip_before_action\s+:verify/i,
  },
  {
    words: 'inserts HTML without escaping it',
    weight: 70,
    pattern:
      /dangerouslySetInnerHTML|\.(?:inner|outer)HTML\s*=|\bv-html=|\bmark_safe\(|\.html_safe\b|\bdocument\.write\(|\|\s*safe\b\s*\}\}|bypassSecurityTrust/,
  },
  {
    words: 'uses memory without the checks of the language',
    weight: 65,
    pattern:
      /\bunsafe\s*(?:\{|fn|impl)|\bunsafe\.Pointer\b|\btransmute\b|\bget_unchecked\b|\bset_len\(|\b(?:strcpy|strcat|sprintf|gets)\s*\(/,
  },
  {
    words: 'grants more permissions',
    weight: 75,
    pattern:
      /\bchmod\s+(?:-R\s+)?(?:0?777|a\+w|\+s|u\+s)|\b0o?(?:777|666)\b|\bumask\s*\(?\s*0+\b|--privileged\b|\bprivileged:\s*true|\bUSER\s+root\b|\bNOPASSWD\b|\ballowPrivilegeEscalation:\s*true|"(?:Principal|Action|Resource)":\s*"\*"|\bcidr_blocks\s*=\s*\["0\.0\.0\.0\/0"|\bGRANT ALL\b|\bhostNetwork:\s*true|\bpublic-read(?:-write)?\b/,
  },
  {
    words: 'deletes stored data',
    weight: 90,
    pattern:
      /\bDROP\s+(?:TABLE|COLUMN|SCHEMA|DATABASE)\b|\bTRUNCATE\s+(?:TABLE\s+)?\w|\bDELETE\s+FROM\s+\w+\s*;|\b(?:drop_table|remove_column|dropColumn|dropTable|RemoveField|DeleteModel)\b|\brm\s+-rf?\s+(?:\/|\$\{?\w+\}?\/?(?:\s|$))/i,
  },
  {
    words: 'writes a secret to a log',
    weight: 80,
    pattern:
      /\b(?:log(?:ger|ging)?|console|print(?:ln|f)?|puts|Log)\b[.(!].{0,120}(?<![\w'"])(?:\w+\.)?(?:password|passwd|secret|(?:access|auth|api|refresh|session)_?token|authorization|api_?key|credentials)\b(?!['"])/i,
    in: ({ isTest, isProse }) => !isTest && !isProse,
  },
  {
    words: 'uses a part of a request as a file name or an address',
    weight: 75,
    pattern:
      /\b(?:readFile|readFileSync|sendFile|createReadStream|open|fetch|redirect|unlink|axios(?:\.\w+)?|requests\.\w+|send_file|render)\(.{0,80}\b(?:req|request|params|ctx)\b(?:\.|\[)(?:query|params|body|args|form|GET|POST|url)?/,
    in: ({ isTest, isProse }) => !isTest && !isProse,
  },
  {
    words: 'stores a request as it came',
    weight: 65,
    pattern:
      /(?:Object\.assign\(|\.(?:update|create|insert|save|merge)\w*\().{0,60}\b(?:req|request|ctx\.request)\.(?:body|data|POST)\b\s*[,)]|\bpermit!|fields\s*=\s*["']__all__["']/,
  },
  {
    words: 'weakens cryptography',
    weight: 55,
    pattern:
      /\b(?:createHash|hashlib\.|MessageDigest\.getInstance\()\W{0,3}(?:md5|sha-?1)\b|\bDES\b|\/ECB\/|\bMODE_ECB\b|\bMath\.random\(\).{0,60}(?:token|secret|password|id\b)|(?:token|secret|password|nonce)\w*\s*=.{0,40}\b(?:Math\.random|rand\(|random\.(?:random|randint|choice))/i,
  },
  {
    words: 'leaves debugging code',
    weight: 25,
    pattern:
      /(?<![\w.])debugger\b|\bconsole\.(?:log|debug)\(|\bbinding\.pry\b|\bbyebug\b|\bdbg!\(|\bpdb\.set_trace\(|\bbreakpoint\(\)|\bvar_dump\(/,
    in: ({ isTest, isProse }) => !isTest && !isProse,
  },
]

const COMMENT = /^\s*(?:\/\/|\/\*|\*|#(?!\[|!)|--\s|<!--|;|%)/
/** Characters that change the order in which text is shown, or are not shown. */
const HIDDEN = /[\u202a-\u202e\u2066-\u2069\u200b\u2060\u{e0000}-\u{e007f}]/u
const ASSIGNED =
  /(?<![\w.])["']?([A-Za-z_][\w-]{2,60})["']?\s*(?::|=>|:?=)\s*(?:[a-z]{0,2})["']([^"'\s${}<>]{12,200})["']/g
const URL_HOST = /\b(https?|wss?|ftp):\/\/(?:[^\s/@"'`]{1,100}@)?([\w.-]{1,250})/g
const ORDINARY_HOST =
  /^(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|(?:[\w-]+\.)*(?:example(?:\.(?:com|org|net))?|test|invalid|local|internal)|(?:www\.)?(?:w3\.org|json-schema\.org|schemas?\.\w+\.\w+|apache\.org|creativecommons\.org|opensource\.org))$/
const ADDRESS = /^\d+\.\d+\.\d+\.\d+$/
/** The part of a line that rules read. */
const MAX_LINE = 500
/** Lines of this length hide what is at their end. */
const MAX_READABLE = 1000

/** A line as rules read it: without the blanks around it, and one for several. */
export const toRead = (text: string): string => text.slice(0, MAX_LINE).replace(/\s+/g, ' ').trim()

/** The reasons that one added line gives on its own. */
export function reasonsOfAdded(text: string, kinds: FileKinds): Reason[] {
  const line = toRead(text)
  const isComment = COMMENT.test(line)
  const reasons: Reason[] = [...secretsIn(text, kinds)]
  if (HIDDEN.test(text))
    reasons.push({ words: 'has hidden characters, so that it reads differently from how it runs', weight: 95 })
  if (kinds.isProse) return reasons
  if (text.length > MAX_READABLE && !kinds.isLock)
    reasons.push({ words: 'has lines that are too long to read', weight: 45 })
  for (const { pattern, in: concerns, inComments, ...reason } of ADDED) {
    if (isComment && !inComments) continue
    if (concerns && !concerns(kinds)) continue
    if (pattern.test(line)) reasons.push(reason)
  }
  if (!isComment && !kinds.isLock) reasons.push(...hostsIn(line, kinds))
  return reasons
}

function secretsIn(text: string, { isTest, isLock, isProse }: FileKinds): Reason[] {
  const found = SECRET_FORMATS.find(([, pattern]) => text.search(pattern) !== -1)
  if (found) return [{ words: `adds ${found[0]}`, weight: isTest ? 80 : 100 }]
  if (isLock || isProse) return []
  const isSecret = [...toRead(text).matchAll(ASSIGNED)].some(
    ([, name = '', value = '']) =>
      /\d/.test(value) && looksSecret(name.replace(/([a-z])([A-Z])/g, '$1_$2').replaceAll('-', '_'), undefined),
  )
  return isSecret ? [{ words: 'adds what looks like a secret', weight: isTest ? 30 : 85 }] : []
}

function hostsIn(line: string, { isTest }: FileKinds): Reason[] {
  return [...line.matchAll(URL_HOST)].flatMap(([, , host = '']) => {
    if (ORDINARY_HOST.test(host) || !host.includes('.')) return []
    const weight = (ADDRESS.test(host) ? 80 : 45) - (isTest ? 30 : 0)
    return [{ words: `names another host: ${host}`, weight }]
  })
}
