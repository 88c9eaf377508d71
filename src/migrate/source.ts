import { isUtf8 } from 'node:buffer'

/** A text file as the rewriters see it. Offsets are UTF-16 positions in `text`. */
export interface Source {
  /** Path below the site's folder, with forward slashes. */
  readonly file: string
  readonly text: string
  /** `latin1` reads each byte as one character, so that text in an old encoding keeps every byte. */
  readonly encoding: 'utf8' | 'latin1'
}

/** Larger files were not written by a person. */
export const maxFileBytes = 5 * 1024 * 1024

/** Reason why a file cannot be edited as text. */
export type Unreadable = 'binary' | 'utf-16'

/** Decodes a file so that `toBytes` returns the same bytes, including a byte order mark. */
export function toSource(file: string, bytes: Buffer): Source | Unreadable {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) return 'utf-16'
  if (bytes.subarray(0, 8192).includes(0)) return 'binary'
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1'
  return { file, text: bytes.toString(encoding), encoding }
}

/** Encodes a text as its source was. */
export function toBytes(source: Source, text: string): Buffer {
  return Buffer.from(text, source.encoding)
}

/** A place in a file, as editors count. */
export interface Place {
  /** From 1. */
  readonly line: number
  /** From 1, in characters. */
  readonly column: number
}

/** Converts an offset to line and column. O(offset). */
export function placeOf(text: string, offset: number): Place {
  let line = 1
  let start = 0
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) {
    line++
    start = at + 1
  }
  return { line, column: offset - start + 1 }
}
