import { type Code, childrenOf } from '../templates/code.ts'

/** Stands for a part of a text that only running the code tells. */
export const hole = '\u0000'

/** A text that code writes, piece by piece: `'a.' . $b`, `"a.$b"`, `` `a.${b}` ``; null for what is no text. */
export const keyText = (code: Code): string | null => {
  switch (code.kind) {
    case 'literal':
      return typeof code.value === 'string' ? code.value : null
    case 'wrap':
      return keyText(code.inner)
    case 'binary':
      return code.operator === '.' || code.operator === '+' ? joined([code.left, code.right]) : null
    case 'other':
      return isInterpolated(code) ? joined(code.children) : null
    default:
      return null
  }
}

/** True for the pieces that a text is made of, and for what is between them. */
export const isPieceOf = (parent: Code | null): boolean =>
  parent !== null &&
  (isInterpolated(parent) ||
    (parent.kind === 'binary' && (parent.operator === '.' || parent.operator === '+')) ||
    (parent.kind === 'other' && (parent.what === 'part' || parent.what === 'simple')))

const isInterpolated = (code: Code): boolean =>
  code.kind === 'other' && (code.what === 'encapsed' || code.what === 'template')

const joined = (pieces: readonly Code[]): string | null => {
  const texts = pieces.map((piece) => keyText(piece.kind === 'other' ? inner(piece) : piece))
  // A sum of numbers, or of things that nothing is known of, is no text.
  return texts.every((text) => text === null)
    ? null
    : texts
        .map((text) => text ?? hole)
        .join('')
        .split(new RegExp(`${hole}+`))
        .join(hole)
}

const inner = (piece: Code): Code =>
  piece.kind === 'other' && (piece.what === 'part' || piece.what === 'simple')
    ? (childrenOf(piece)[0] ?? piece)
    : piece
