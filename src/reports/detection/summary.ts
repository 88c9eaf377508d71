import type { Channel } from './types.ts'

/** A detection in a line: the points, what was found, what was looked for in vain. */
export const summarize = (score: number, met: readonly Channel[], tried: readonly Channel[]): string => {
  const found = tried.filter((channel) => met.includes(channel))
  const missing = tried.filter((channel) => !found.includes(channel))
  const parts = [found.map(toWords), missing.map((channel) => `no ${toWords(channel)}`)]
  return `${score} of 100: ${parts
    .filter((part) => part.length > 0)
    .map((part) => part.join(', '))
    .join('; ')}`
}

const toWords = (channel: Channel): string => words[channel]

// What a system says of itself in a meta tag is nearly always its generator.
const words: Record<Channel, string> = {
  header: 'header',
  cookie: 'cookie',
  meta: 'generator',
  script: 'script',
  link: 'link',
  asset: 'asset path',
  dom: 'markup',
  probe: 'probe',
}
