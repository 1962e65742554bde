import { type Static, Type } from '@sinclair/typebox'

/** A key that a program uses and never sees: the proxy of its session has it. */
export const ProviderKey = Type.Object({
  /** Names it in the addresses that the program is given. */
  name: Type.String({ pattern: '^[a-z][a-z0-9-]*$' }),
  /** Only address of its requests. */
  url: Type.String(),
  /** The header that the key is put in, and what it says. */
  header: Type.String(),
  value: Type.String({ pattern: '^[\\x20-\\x7e]+$' }),
})
export type ProviderKey = Static<typeof ProviderKey>

/** The proxies of the network that this machine is in, as an environment names them. */
export const OuterProxies = Type.Object({
  /** For plain HTTP, and for everything else. */
  http: Type.Optional(Type.String()),
  https: Type.Optional(Type.String()),
  /** Hosts that are reached without them. */
  direct: Type.Optional(Type.String()),
})
export type OuterProxies = Static<typeof OuterProxies>

/** Rules of a session's proxy. */
export const ProxyRules = Type.Object({
  /** The hosts that it connects to: by rules, or all of them. */
  hosts: Type.Union([Type.Literal('any'), Type.Array(Type.String())]),
  /** Advice about an unlisted host: `{host}` stands for its name, or for several as in a list. */
  advice: Type.String(),
  /** Further way to allow an unlisted host, after the advice. */
  otherwise: Type.Optional(Type.String()),
  /** True if a person is asked about other hosts. */
  asks: Type.Optional(Type.Boolean()),
  keys: Type.Array(ProviderKey),
  /** Through what it reaches hosts; absent: directly. */
  outer: Type.Optional(OuterProxies),
  /** Variables of the program: `{url:NAME}` stands for the address of a key, `{key}` for what it shows there instead of it. */
  env: Type.Record(Type.String(), Type.String()),
})
export type ProxyRules = Static<typeof ProxyRules>

/** A host that is on no list, about which a session has a person asked. */
export const HostPrompt = Type.Object({
  /** A name or an address in its normal form. */
  host: Type.String(),
  port: Type.Integer(),
  /** Time of the first request, RFC 3339. */
  since: Type.String(),
  /** Number of other hosts that the session requests. */
  others: Type.Integer(),
})
export type HostPrompt = Static<typeof HostPrompt>

/**
 * Answer of a person: allow the waiting or next connections, all of this session, none of it, or no host of this
 * session at all.
 */
export const HostAnswer = Type.Union([
  Type.Literal('once'),
  Type.Literal('session'),
  Type.Literal('no'),
  Type.Literal('none'),
])
export type HostAnswer = Static<typeof HostAnswer>

/** Traffic of a session with one host. */
export const HostTraffic = Type.Object({
  /** With its port, unless that is 443 or 80; `*` for all those that found no room in the list. */
  host: Type.String(),
  connections: Type.Integer(),
  denied: Type.Integer(),
  /** Bytes from the session to the host, and from the host to the session. */
  sent: Type.Integer(),
  received: Type.Integer(),
  /** RFC 3339. */
  first: Type.String(),
  last: Type.String(),
})
export type HostTraffic = Static<typeof HostTraffic>
