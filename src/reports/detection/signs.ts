import { type Channel, channels } from './types.ts'

/** Collects signs: distinct ones, each at most 500 characters, and per channel no more than `room` allows. */
export interface Signs {
  add(channel: Channel, sign: string): void
  /** False when nothing more fits, so that a sign need not even be written. */
  hasRoom(channel: Channel): boolean
  all(): Record<Channel, readonly string[]>
}

/** Characters; what goes beyond is cut off. */
export const longestSign = 500

// 2 000 in all. Every channel has a share of its own, so that a page full of one kind cannot crowd out another.
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

/** A page's first 20 generators are kept even where `meta` has no room left. */
export const createSigns = (): Signs => {
  const found = Object.fromEntries(channels.map((channel) => [channel, new Set<string>()])) as Record<
    Channel,
    Set<string>
  >
  let generators = 0
  const hasRoom = (channel: Channel) => found[channel].size < room[channel]
  return {
    add: (channel, sign) => {
      // Whatever stands before it, a page's word on what made it is heard.
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

/** Keeps nothing: for what a page has and nobody sees. */
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
