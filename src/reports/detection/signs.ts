import { type Channel, channels } from './types.ts'

/** Collects distinct signs of at most 500 characters, up to a limit per channel. */
export interface Signs {
  add(channel: Channel, sign: string): void
  /** Returns false if the channel is full, so that the sign need not be formatted. */
  hasRoom(channel: Channel): boolean
  all(): Record<Channel, readonly string[]>
}

/** Most characters of a sign; the rest is cut off. */
export const longestSign = 500

// 2 000 in all. Each channel has its own share, so that a page full of one kind cannot displace another.
const room: Record<Channel, number> = {
  header: 100,
  cookie: 50,
  meta: 200,
  script: 200,
  link: 150,
  asset: 500,
  dom: 800,
  probe: 0,
}

const mostGenerators = 20

/** Creates the collection. The first 20 generators of a page are kept even if `meta` is full. */
export function createSigns(): Signs {
  const found = Object.fromEntries(channels.map((channel) => [channel, new Set<string>()])) as Record<
    Channel,
    Set<string>
  >
  let generators = 0
  const hasRoom = (channel: Channel) => found[channel].size < room[channel]
  return {
    add: (channel, sign) => {
      // A page's claim about its system is kept even if `meta` is full.
      const isWord = channel === 'meta' && sign.startsWith('generator=') && generators++ < mostGenerators
      if (isWord || hasRoom(channel))
        found[channel].add(sign.length > longestSign ? sign.slice(0, longestSign) : sign)
    },
    hasRoom,
    all: () => ({
      ...noSigns,
      ...Object.fromEntries(channels.map((channel) => [channel, [...found[channel]]])),
    }),
  }
}

/** Keeps nothing; used for elements that are hidden. */
export const unseen: Signs = { add: () => {}, hasRoom: () => false, all: () => noSigns }

const noSigns: Record<Channel, readonly string[]> = {
  header: [],
  cookie: [],
  meta: [],
  script: [],
  link: [],
  asset: [],
  dom: [],
  probe: [],
}
