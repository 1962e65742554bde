import { type Static, Type } from '@sinclair/typebox'
import { HostTraffic, ProxyRules } from './proxy.ts'
import { EnforcedShare, Share } from './share.ts'

/** Kind of a session: a program on its own terminal, a program with a protocol, or a command. */
export const SessionKind = Type.Union([Type.Literal('terminal'), Type.Literal('acp'), Type.Literal('command')])
export type SessionKind = Static<typeof SessionKind>

const MAX_KEPT_BYTES = 256 << 10

const Size = { cols: Type.Integer(), rows: Type.Integer() }

const Pairs = Type.Record(Type.String(), Type.String())
/** A server of tools (Model Context Protocol) for an agent: a command that the agent runs, or an address. */
export const ToolServer = Type.Union([
  Type.Object({ name: Type.String(), command: Type.String(), args: Type.Array(Type.String()), env: Pairs }),
  Type.Object({
    name: Type.String(),
    type: Type.Union([Type.Literal('http'), Type.Literal('sse')]),
    url: Type.String(),
    headers: Pairs,
  }),
])
export type ToolServer = Static<typeof ToolServer>

/** Facts about a program that decide how its screen is read. */
export const ProgramOnTerminal = Type.Object({
  /** The program's name, such as `claude`; absent when we know nothing about it. */
  name: Type.Optional(Type.String()),
  readyPrefix: Type.Optional(Type.String()),
  readyDelay: Type.Optional(Type.Integer({ minimum: 0 })),
})
export type ProgramOnTerminal = Static<typeof ProgramOnTerminal>

/** The last of what a command printed, each stream automatically. */
export const CommandOutput = Type.Object({
  stdout: Type.String(),
  stderr: Type.String(),
  /** True if there was more. */
  truncated: Type.Boolean(),
})
export type CommandOutput = Static<typeof CommandOutput>

/** A file that has what a command prints, and how many bytes of it are kept, twice over. */
export const OutputFile = Type.Object({ file: Type.String(), bytes: Type.Integer({ minimum: 1 }) })
export type OutputFile = Static<typeof OutputFile>

/** A file that the private home of a program begins with, by its path in it. */
export const PrivateFile = Type.Object({ path: Type.String(), text: Type.String() })
export type PrivateFile = Static<typeof PrivateFile>

/** A link in the private home of a program to a file that it may read. */
export const PrivateLink = Type.Object({ path: Type.String(), to: Type.String() })
export type PrivateLink = Static<typeof PrivateLink>

/** Sandbox of a program: its permissions beyond those of every sandbox. */
export const Confinement = Type.Object({
  /** Home whose toolchains it may read. */
  home: Type.String(),
  /** The folder for what is temporary and for the state of its programs, which only it has. */
  private: Type.String(),
  /** Initial contents of a new private state folder. */
  begin: Type.Optional(Type.Object({ files: Type.Array(PrivateFile), links: Type.Array(PrivateLink) })),
  /** Places where they are, as all that is written: the host follows no link to them. */
  read: Type.Array(Type.String()),
  write: Type.Array(Type.String()),
  /** Places in what every program reads that it may not read, unless `read` or `write` name what is in them. */
  withheld: Type.Optional(Type.Array(Type.String())),
  network: Type.Union([Type.Literal('session'), Type.Literal('open')]),
  /** Ports on loopback that it may connect to. */
  ports: Type.Array(Type.Integer({ minimum: 1, maximum: 65535 })),
  /** Ports on which it never listens, since others show their tokens to anyone who does. */
  reserved: Type.Optional(Type.Array(Type.Integer({ minimum: 1, maximum: 65535 }))),
  /** Network access by its own proxy; absent without one. */
  proxy: Type.Optional(ProxyRules),
  /** The most that it has of this machine, as far as that can hold it. */
  share: Type.Optional(Share),
})
export type Confinement = Static<typeof Confinement>

/** A program to run. The environment is passed on exactly as given: nothing is added, nothing inherited. */
export const StartSpec = Type.Object({
  /** Names the session in every later call; unique among the running ones. */
  key: Type.String({ minLength: 1 }),
  kind: Type.Optional(SessionKind),
  argv: Type.Array(Type.String(), { minItems: 1 }),
  cwd: Type.String(),
  env: Type.Record(Type.String(), Type.String()),
  ...Size,
  /** Kind `command`: maximum bytes kept of each stream, reported with its exit. */
  keep: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_KEPT_BYTES })),
  /** Kind `command`: file that also receives all output. */
  log: Type.Optional(OutputFile),
  /** Absent for a program that is not confined. */
  confine: Type.Optional(Confinement),
  /** On a terminal: what the program is, so that its questions are found. */
  program: Type.Optional(ProgramOnTerminal),
  /** Opening of the conversation with a program of kind `acp`. */
  acp: Type.Optional(
    Type.Object({
      /** The program's name for an earlier conversation to continue with, if it can. */
      resume: Type.Optional(Type.String()),
      mode: Type.Optional(Type.String()),
      model: Type.Optional(Type.String()),
      servers: Type.Optional(Type.Array(ToolServer)),
      /** Milliseconds the program may take to open the conversation; 30000 when not given. */
      patience: Type.Optional(Type.Integer({ minimum: 1 })),
    }),
  ),
})
export type StartSpec = Static<typeof StartSpec>

export const StartResult = Type.Object({
  pid: Type.Integer(),
  /** RFC 3339, by the host's clock. */
  startedAt: Type.String(),
  /** Kind `acp`: whether it resumed the requested conversation. */
  resumed: Type.Optional(Type.Boolean()),
})
export type StartResult = Static<typeof StartResult>

/** A process that cannot be mistaken for a later one with the same pid: `started` names its moment of birth. */
export const ProcessRef = Type.Object({ pid: Type.Integer(), started: Type.String(), command: Type.String() })
export type ProcessRef = Static<typeof ProcessRef>

/**
 * Reason a session is over: automatically, on request, because no one watched, because its host died, or with all
 * others.
 */
export const EndReason = Type.Union([
  Type.Literal('exited'),
  Type.Literal('ended'),
  Type.Literal('unattended'),
  Type.Literal('host-lost'),
  Type.Literal('shutdown'),
])
export type EndReason = Static<typeof EndReason>

const Identity = {
  key: Type.String(),
  /** Names this run of the key; a later start of the same key has another. */
  run: Type.String(),
  pid: Type.Integer(),
  startedAt: Type.String(),
}
const ExitFields = { exitCode: Type.Optional(Type.Integer()), signal: Type.Optional(Type.String()) }

/** One session as the host sees it. */
export const HostedSession = Type.Object({
  ...Identity,
  kind: SessionKind,
  state: Type.Union([Type.Literal('running'), Type.Literal('exited')]),
  /** Its processes are being ended and looked for. */
  ending: Type.Optional(Type.Boolean()),
  ...ExitFields,
  reason: Type.Optional(EndReason),
  ...Size,
  /** Offset behind the last byte of output; what was struck out does not count. */
  bytes: Type.Integer(),
  /** Offset of the oldest byte that is still kept. */
  oldest: Type.Integer(),
  lastOutputAt: Type.Optional(Type.String()),
  title: Type.Optional(Type.String()),
  /** The cgroup that everything started in it is in, and ends with it. */
  cgroup: Type.Optional(Type.String()),
  /** Group that limits its share of the machine; absent without one. */
  share: Type.Optional(Type.Array(EnforcedShare)),
  /** Bytes the screen never saw because the program wrote faster than it could be read. */
  unseen: Type.Integer(),
})
export type HostedSession = Static<typeof HostedSession>

/** The end of a session: its whole tree was looked for and is gone. */
export const Exit = Type.Object({
  ...Identity,
  state: Type.Literal('exited'),
  endedAt: Type.String(),
  reason: EndReason,
  ...ExitFields,
  /** Reason the kernel killed it for want of memory: it had its share, or the machine had no more. */
  memoryLack: Type.Optional(Type.Union([Type.Literal('share'), Type.Literal('machine')])),
  /** The last lines of its screen and scrollback, at most 16 KB. */
  lastOutput: Type.Array(Type.String()),
  /** Streams of a command, if they are kept apart. */
  streams: Type.Optional(CommandOutput),
  /** Processes that left for a session of their own and run on; `endDaemons` ends them. */
  daemons: Type.Array(ProcessRef),
  /** Traffic of a session with a proxy, by host. */
  traffic: Type.Optional(Type.Array(HostTraffic)),
})
export type Exit = Static<typeof Exit>

/** Result of `end`. */
export type Ended = Exit

const EndFields = {
  /** Milliseconds between TERM and KILL; 5000 when not given. */
  grace: Type.Optional(Type.Number({ minimum: 0 })),
  /** Ends also those that left for a session of their own. */
  daemons: Type.Optional(Type.Boolean()),
}
export const EndOptions = Type.Object(EndFields)
export type EndOptions = Static<typeof EndOptions>

/** The screen as text: what a person attached to the terminal would read now. */
export const Screen = Type.Object({
  lines: Type.Array(Type.String()),
  /** The same lines with SGR sequences for colours and styles, and with no other sequence. */
  styled: Type.Optional(Type.Array(Type.String())),
  cursor: Type.Object({ x: Type.Integer(), y: Type.Integer() }),
  title: Type.String(),
  /** True if a full-screen program has the alternate screen. */
  alternate: Type.Boolean(),
  /** True if the program takes pasted text apart from typed keys (DEC mode 2004). */
  bracketedPaste: Type.Boolean(),
  ...Size,
  /** Offset behind the last byte this screen has seen. */
  offset: Type.Integer(),
})
export type Screen = Static<typeof Screen>

/** The screen as a terminal can redraw it; output from `offset` continues it without a gap. */
export interface Snapshot {
  offset: number
  ansi: string
  cols: number
  rows: number
}

/** A piece of output, or the piece that was overwritten before it could be read. */
export type OutputChunk = { offset: number; bytes: Uint8Array } | { gap: { from: number; to: number } }

/** Signals that may be sent to what runs in a terminal's foreground. */
export const ForegroundSignal = Type.Union([
  Type.Literal('INT'),
  Type.Literal('QUIT'),
  Type.Literal('TERM'),
  Type.Literal('HUP'),
  Type.Literal('CONT'),
  Type.Literal('TSTP'),
  Type.Literal('USR1'),
  Type.Literal('USR2'),
])
export type ForegroundSignal = Static<typeof ForegroundSignal>

/** New output of a session, reported at most ten times a second. */
export const Activity = Type.Object({
  key: Type.String(),
  bytes: Type.Integer(),
  at: Type.String(),
  title: Type.Optional(Type.String()),
})
export type Activity = Static<typeof Activity>

/** One host process of this home. A host of an earlier build runs on until its last session ends. */
export const HostStatus = Type.Object({
  build: Type.String(),
  protocol: Type.Integer(),
  pid: Type.Integer(),
  startedAt: Type.String(),
  sessions: Type.Integer(),
  /** Exits no supervisor has acknowledged. */
  exits: Type.Integer(),
  /** Resident memory in bytes. */
  memory: Type.Integer(),
  /** True if it takes no new sessions. */
  retired: Type.Boolean(),
  /** Reason its sessions have no cgroup; empty when they have, absent from a host that knows of none. */
  noCgroup: Type.Optional(Type.String()),
  /**
   * Reason its sessions are not held to all of their shares; empty when they are, absent from a host that holds none.
   */
  noShare: Type.Optional(Type.String()),
})
export type HostStatus = Static<typeof HostStatus>
