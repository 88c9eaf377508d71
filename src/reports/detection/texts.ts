import { decodeHTML } from 'entities/decode'
import { type Attributes, isState } from './markup.ts'
import { longestSign } from './signs.ts'
import { type Capture, createCapture, rawLength } from './text.ts'

export interface TextDeps {
  onTitle(text: string): void
  /** Takes the open tag of a script that holds state, and the beginning of its text. */
  onState(tag: string, text: string): void
  onStyle(text: string): void
  write(name: string, attributes: Attributes): string
}

/** Characters of a style that are read. */
const mostStyle = 100_000

/** Gathers the text of titles, of styles, and of scripts that hold state, from texts as they are written. A drawing has
 *  titles of its own. */
export const createTextReader = ({ onTitle, onState, onStyle, write }: TextDeps) => {
  let drawings = 0
  let current: { name: string; capture: Capture; finish: (text: string) => void } | undefined

  const open = (name: string, attributes: Attributes): void => {
    if (name === 'svg') drawings += 1
    if (name === 'title' && drawings === 0)
      current = { name, capture: createCapture(rawLength), finish: (text) => onTitle(decodeHTML(text)) }
    // In HTML a style and a script hold no references; in a drawing they do, as everything there.
    const read = drawings > 0 ? decodeHTML : asWritten
    if (name === 'style')
      current = { name, capture: createCapture(mostStyle), finish: (text) => onStyle(read(text)) }
    if (!isState(name, attributes)) return
    const tag = write(name, attributes)
    current = { name, capture: createCapture(longestSign), finish: (text) => onState(tag, read(text)) }
  }
  const end = (): void => {
    current?.finish(current.capture.text())
    current = undefined
  }
  const close = (name: string): void => {
    if (name === 'svg') drawings -= 1
    if (name === current?.name) end()
  }
  return { open, text: (text: string) => current?.capture.add(text), close, end }
}

const asWritten = (text: string): string => text
