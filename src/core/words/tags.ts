/**
 * Reduces a language tag so that it cannot choose another calendar or other digits: `de-AT`, `zh-Hant-TW`; undefined
 * for an invalid tag.
 */
export function toTag(given: string | null | undefined): string | undefined {
  try {
    if (!given || given.length > 35) return undefined
    const { language, script, region } = new Intl.Locale(given.replaceAll('_', '-'))
    return [language, script, region].filter(Boolean).join('-')
  } catch {
    return undefined
  }
}

/** Looks up a tag by RFC 4647, 3.4: `de-AT` finds de-AT, else de. */
export function lookUp(tag: string, names: readonly string[]): string | undefined {
  for (let rest = tag.toLowerCase(); rest !== ''; rest = rest.slice(0, Math.max(0, rest.lastIndexOf('-')))) {
    const name = names.find((knownName) => knownName.toLowerCase() === rest)
    if (name !== undefined) return name
  }
  return undefined
}

/** The languages that a browser accepts by RFC 9110, 12.5.4, best first, and those it refuses by `q=0`. */
export interface Accepted {
  readonly tags: readonly string[]
  readonly refused: readonly string[]
}

const mostTags = 20

/** Reads `Accept-Language`. Invalid ranges are ignored, and `*` names no language. */
export function readAccepted(header: string): Accepted {
  const ranges = header
    .slice(0, 1000)
    .split(',', mostTags)
    .flatMap((part) => {
      const [, tag, q = '1'] =
        /^\s*([A-Za-z0-9-]+)\s*(?:;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i.exec(part) ?? []
      return tag === undefined ? [] : [{ tag, weight: Number(q) }]
    })
  return {
    tags: ranges
      .filter(({ weight }) => weight > 0)
      .sort((a, b) => b.weight - a.weight)
      .map(({ tag }) => tag),
    refused: ranges.filter(({ weight }) => weight === 0).map(({ tag }) => tag),
  }
}
