import type { Signs } from './signs.ts'
import type { FetchedPage } from './types.ts'

/** Headers as `name: value`, cookies as their names: a cookie's value is nobody's business. */
export const addHeaderSigns = (headers: FetchedPage['headers'], signs: Signs): void => {
  for (const [name, value] of Object.entries(headers))
    for (const line of toLines(value)) {
      if (name !== 'set-cookie') signs.add('header', `${name}: ${line}`)
      else signs.add('cookie', line.slice(0, line.search(/[=;]|$/)).trim())
    }
}

/** The first value of a header; undefined without it. */
export const findHeader = (headers: FetchedPage['headers'], name: string): string | undefined =>
  toLines(headers[name])[0]

const toLines = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value
