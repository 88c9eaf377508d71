import type { Edit } from '../edits.ts'
import { pricePath } from './api.ts'
import { type Call, type Code, type Key, type Member, type Span, unwrap } from './code.ts'
import type { Scopes } from './scopes.ts'

/** One step of a path: `['items']`, `.items`, `.at(0)`. */
export interface Step {
  readonly code: Member | Call
  /** Object of the step. */
  readonly on: Code
  /** null if it is known only at run time. */
  readonly key: Key | null
  readonly style: Member['style']
  readonly isOptional: boolean
  /** Words that the source must contain for this step. */
  readonly words: readonly string[]
}

/** A complete path, from its base outwards: `$s` and `items`, `data`, `0`. */
export interface Chain {
  readonly code: Member | Call
  readonly steps: readonly Step[]
  /** True for `s.status.slice` in `s.status.slice(1)`: the last step names a function. */
  readonly isCalled: boolean
}

/** Returns the path that ends at `code`; null if a longer one contains it. */
export function chainAt(code: Code, scopes: Scopes): Chain | null {
  const last = stepOf(code)
  if (last === null || isContinued(code, scopes)) return null
  const steps: Step[] = []
  for (let step: Step | null = last; step; step = stepOf(unwrap(step.on))) steps.unshift(step)
  const parent = scopes.parentOf(code)
  return { code: last.code, steps, isCalled: parent?.kind === 'call' && parent.callee === code }
}

function stepOf(code: Code): Step | null {
  if (code.kind === 'member') {
    const { object, key, style, isOptional } = code
    return { code, on: object, key, style, isOptional, words: key === null ? [] : [String(key)] }
  }
  if (code.kind !== 'call' || code.callee.kind !== 'member' || code.callee.key !== 'at') return null
  const [index] = code.args
  if (code.args.length !== 1 || index?.kind !== 'literal' || typeof index.value !== 'number') return null
  const { object, isOptional } = code.callee
  return {
    code,
    on: object,
    key: index.value,
    style: 'property',
    isOptional,
    words: ['at', `${index.value}`],
  }
}

function isContinued(code: Code, scopes: Scopes): boolean {
  let inner = code
  let parent = scopes.parentOf(inner)
  while (parent?.kind === 'wrap') {
    inner = parent
    parent = scopes.parentOf(inner)
  }
  if (parent?.kind === 'member') return parent.object === inner
  return parent?.kind === 'call' && parent.callee === inner && stepOf(parent) !== null
}

/**
 * Returns edits that replace some steps of a path with `insert`. It returns null if the source does not match
 * the syntax tree. A wrong place of a parser, a comment in between or an escape is therefore never edited.
 */
export function replaceSteps(text: string, steps: readonly Step[], insert: string): Edit[] | null {
  const first = steps[0]!
  const from = outerEnd(text, first.on)
  const end = steps.at(-1)!.code.end
  const written = text.slice(from, end)
  if (!/^\s*(?:\[|\?->|->|\?\.|\.|!)/.test(written) || !/[\w\])]$/.test(written)) return null
  const words = written.match(/[\p{L}\p{N}_$]+/gu) ?? []
  const isCast = steps.some(({ on }, i) => i > 0 && on.kind === 'wrap')
  if (
    !isWithin(
      steps.flatMap((step) => step.words),
      words,
      isCast,
    )
  )
    return null
  const edit = { start: from, end, text: insert }
  const closed = count(written, ')') - count(written, '(')
  if (closed === 0) return [edit]
  // Parentheses that end between the steps begin before the base: `(s.items).data`.
  const start = steps.at(-1)!.code.start
  const opened = text.slice(start, outerStart(text, first.on))
  if (!/^[\s(]+$/.test(opened) || count(opened, '(') !== closed) return null
  return [{ start, end: start + opened.length, text: '' }, edit]
}

function isWithin(expected: readonly string[], words: readonly string[], mayHaveMore: boolean): boolean {
  if (!mayHaveMore) return expected.length === words.length && expected.every((word, i) => word === words[i])
  let at = 0
  for (const word of words) if (word === expected[at]) at++
  return at === expected.length
}

function count(text: string, char: string): number {
  return text.split(char).length - 1
}

/** Returns the end of a base, including its own parentheses that are closed on both sides. */
export function outerEnd(text: string, code: Code): number {
  return around(text, code).end
}

/** Returns the beginning of a base, including its own parentheses that are closed on both sides. */
export function outerStart(text: string, code: Code): number {
  return around(text, code).start
}

/** Returns a piece of code with its surrounding parentheses. */
export function around(text: string, code: Span): Span {
  let { start, end } = code
  for (;;) {
    let left = start - 1
    while (left >= 0 && isBlank(text[left])) left--
    let right = end
    while (right < text.length && isBlank(text[right])) right++
    if (text[left] !== '(' || text[right] !== ')') return { start, end }
    start = left
    end = right + 1
  }
}

function isBlank(char: string | undefined): boolean {
  return char === ' ' || char === '\n' || char === '\t' || char === '\r'
}

/** Returns the step of a path at which items → data → first → price → id begins, or -1. */
export function priceStep(steps: readonly Step[]): number {
  return steps.findIndex((_, at) =>
    pricePath.every((key, i) => String(steps[at + i]?.key ?? '') === String(key)),
  )
}
